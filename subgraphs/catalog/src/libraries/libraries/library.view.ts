import { compareVersions, parseVersion } from "@factory/nuget/version";
import { isoFromJsonTime } from "@factory/runtime/db/json-time";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Library, LibraryCapability } from "./library.entity.js";
import type { LibraryVersionState, ReleasedState } from "./library.states.js";
import type { LibraryType, LibraryVersionType } from "./library.type.js";
import type {
  Deprecation,
  LibraryVersion,
  PackageDependency,
  PackageLicense,
  PackageRange,
  Vulnerability,
} from "./library-version.entity.js";

export interface LibraryVersionRow<State = LibraryVersionState> {
  library_version_id: string;
  library_id: string;
  semantic_version: string;
  target_frameworks: string[];
  dependencies: PackageDependency[];
  dependency_groups: string[];
  conflicts_with: PackageRange[];
  consumes: string[];
  max_runtime: string | null;
  vulnerabilities: Vulnerability[];
  deprecation: Deprecation | null;
  license: PackageLicense | null;
  retirement_reason: string | null;
  resolved_ref: string | null;
  status: State;
  created_at: string;
}

/** A row of `libraries` with its versions. */
export interface LibraryRow<State = LibraryVersionState> {
  library_id: string;
  package_name: string;
  title: string | null;
  description: string | null;
  area: string | null;
  owner: string | null;
  capabilities: LibraryCapability[];
  tags: string[];
  status: "Active";
  created_at: Date;
  versions: LibraryVersionRow<State>[] | null;
}

/** A row of `libraries` with its released versions only. */
export type ReleasedLibraryRow = LibraryRow<ReleasedState>;

export function libraryView(row: LibraryRow): LibraryType {
  const { package_name, title, description, area, owner, capabilities, tags, status } = row;
  return {
    libraryId: encodeId("lib", row.library_id),
    packageName: package_name,
    title,
    description,
    area,
    owner,
    capabilities: capabilities.map(capabilityView),
    tags,
    status,
    createdAt: row.created_at.toISOString(),
    versions: (row.versions ?? []).map(libraryVersionView).sort(highestFirst),
  };
}

function capabilityView({ name, contract, exclusive = false }: LibraryCapability) {
  return { name, contract, exclusive };
}

function dependencyView({ packageName, range, targetFramework = null }: PackageDependency) {
  return { packageName, range, targetFramework };
}

function libraryVersionView(row: LibraryVersionRow): LibraryVersionType {
  return {
    libraryVersionId: encodeId("lbv", row.library_version_id),
    libraryId: encodeId("lib", row.library_id),
    semanticVersion: row.semantic_version,
    targetFramework: row.target_frameworks[0] ?? null,
    targetFrameworks: row.target_frameworks,
    status: row.status,
    dependencies: row.dependencies.map(dependencyView),
    dependencyGroups: row.dependency_groups,
    conflictsWith: row.conflicts_with,
    consumes: row.consumes,
    maxRuntime: row.max_runtime,
    vulnerabilities: row.vulnerabilities,
    deprecation: row.deprecation,
    license: row.license,
    retirementReason: row.retirement_reason,
    resolvedRef: row.resolved_ref,
    createdAt: isoFromJsonTime(row.created_at),
  };
}

/** The view of a library that was just written. */
export function writtenLibrary(library: Library, versions: readonly LibraryVersion[]): LibraryType {
  const { libraryId, packageName, title, description, area, owner, capabilities, tags, status, createdAt } = library;
  return {
    libraryId,
    packageName,
    title,
    description,
    area,
    owner,
    capabilities: capabilities.map(capabilityView),
    tags,
    status,
    createdAt: createdAt.toISOString(),
    versions: versions.map(writtenVersion).sort(highestFirst),
  };
}

/** The view of a version that was just written. */
export function writtenVersion(version: LibraryVersion): LibraryVersionType {
  const { tenantId: _, versionKey: __, createdAt, dependencies, ...fields } = version;
  return {
    ...fields,
    dependencies: dependencies.map(dependencyView),
    targetFramework: version.targetFrameworks[0] ?? null,
    createdAt: createdAt.toISOString(),
  };
}

/** Orders versions as NuGet does, the highest first. Texts that are not valid versions come last. */
export function highestFirst(a: { semanticVersion: string }, b: { semanticVersion: string }): number {
  const [one, other] = [parseVersion(a.semanticVersion), parseVersion(b.semanticVersion)];
  if (!one || !other) return Number(!one) - Number(!other);
  return compareVersions(other, one);
}
