import type { DependencyEdge, GraphNode } from "@factory/nuget/dependency-graph";
import type { GraphMember } from "@factory/nuget/graph-members";
import type { ListedPackage } from "@factory/nuget/listed-package";
import type { PackageMetadata, PackageVersionMetadata } from "@factory/nuget/package-metadata";
import type { KnownLibrary as NugetLibrary, Release as NugetRelease } from "@factory/nuget/release";
import { parseRange, type VersionRange } from "@factory/nuget/version-range";

export interface Vulnerability {
  severity: "Low" | "Moderate" | "High" | "Critical";
  advisoryUrl: string;
}

export interface KnownDeprecation {
  /** Legacy, CriticalBugs or Other, as in NuGet. */
  reason: string | null;
  message: string | null;
  alternatePackage: string | null;
}

/** A library version as the rules read it: NuGet's metadata, and what the catalog knows besides. */
export interface CatalogLibraryVersion extends PackageVersionMetadata {
  libraryVersionId: string;
  conflictsWith: { packageName: string; range: string | null }[];
  /** Contracts that another library in the set has to offer, for example `messaging/v2`. */
  consumes?: string[];
  vulnerabilities?: Vulnerability[];
  deprecation?: KnownDeprecation | null;
  license?: { kind: "Expression" | "File" | "Url"; value: string } | null;
  /** The last framework in its family on which the version runs. */
  maxRuntime?: string | null;
}

/** A library with its released versions, as the rules read it. */
export interface CatalogLibrary extends PackageMetadata {
  libraryId: string;
  /** Only one library in a set may offer an `exclusive` capability. */
  capabilities: { name: string; contract: string | null; exclusive?: boolean }[];
  versions: CatalogLibraryVersion[];
}

/** A registered library version. */
export type Release = NugetRelease<CatalogLibrary>;
/** A library with all its releases. */
export type KnownLibrary = NugetLibrary<CatalogLibrary>;
/** A library that the set lists. */
export type ListedLibrary = ListedPackage<CatalogLibrary>;
/** A listed library or a transitive dependency. */
export type Member = GraphMember<CatalogLibrary>;
/** A package in the resolved graph. */
export type Node = GraphNode<CatalogLibrary>;
/** A dependency in the resolved graph. */
export type Edge = DependencyEdge<CatalogLibrary>;

/** A package that a release declares it does not work with. */
export interface DeclaredConflict {
  /** The package name in lower case. */
  readonly key: string;
  /** Undefined: the release conflicts with every version. */
  readonly range: VersionRange | undefined;
}

/** Capabilities by contract, or by name where they have no contract; in lower case, each once. */
interface CapabilityKeys {
  readonly offered: readonly string[];
  readonly exclusive: readonly string[];
}

const noConflicts: readonly DeclaredConflict[] = [];
const conflicts = new WeakMap<Release, readonly DeclaredConflict[]>();
const capabilityKeys = new WeakMap<KnownLibrary, CapabilityKeys>();

/** The conflicts that a release declares, its ranges parsed. */
export function conflictsOf(release: Release): readonly DeclaredConflict[] {
  const { conflictsWith } = release.registered;
  if (conflictsWith.length === 0) return noConflicts;
  let releaseConflicts = conflicts.get(release);
  if (releaseConflicts === undefined)
    conflicts.set(release, (releaseConflicts = conflictsWith.flatMap((conflict) => readConflict(conflict))));
  return releaseConflicts;
}

/**
 * The contracts that a library's capabilities name, or their names where they have no contract: in lower case, each
 * once.
 */
export function capabilityKeysOf(library: KnownLibrary): CapabilityKeys {
  let keys = capabilityKeys.get(library);
  if (keys === undefined) {
    const { capabilities } = library.registered;
    keys = { offered: keysOf(capabilities), exclusive: keysOf(capabilities.filter(({ exclusive }) => exclusive)) };
    capabilityKeys.set(library, keys);
  }
  return keys;
}

function keysOf(capabilities: CatalogLibrary["capabilities"]): string[] {
  return [...new Set(capabilities.map(({ name, contract }) => (contract ?? name).toLowerCase()))];
}

// a range that is not valid declares no conflict; ranges are checked when they are stored
function readConflict({ packageName, range: text }: { packageName: string; range: string | null }): DeclaredConflict[] {
  const range = text === null ? undefined : parseRange(text);
  return text !== null && range === undefined ? [] : [{ key: packageName.toLowerCase(), range }];
}
