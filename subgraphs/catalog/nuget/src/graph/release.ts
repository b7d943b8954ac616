import { type Framework, readFramework, sameFramework } from "../frameworks/framework.js";
import { frameworkKey } from "../frameworks/framework-families.js";
import { compareVersions, type NugetVersion, parseVersion } from "../versions/version.js";
import { parseRange, type VersionRange } from "../versions/version-range.js";
import type { CatalogLibrary, CatalogLibraryVersion, PackageRequirement } from "./evaluate-input.js";
import { compareText } from "./listed-package.js";

export interface Dependency {
  readonly packageName: string;
  readonly key: string;
  readonly range: VersionRange;
  /** The dependency group; undefined: it counts on every runtime. */
  readonly group: Framework | undefined;
}

export interface DeclaredConflict {
  readonly packageName: string;
  readonly key: string;
  /** Undefined: with every version. */
  readonly range: VersionRange | undefined;
}

/** A registered version of a library, its texts read. */
export interface Release {
  readonly library: KnownLibrary;
  readonly text: string;
  readonly version: NugetVersion;
  readonly status: CatalogLibraryVersion["status"];
  readonly targetFrameworks: readonly string[];
  /** Some of its dependencies stand in groups. */
  readonly isGrouped: boolean;
  /** Of all groups, by name. */
  readonly dependencies: readonly Dependency[];
  readonly registered: CatalogLibraryVersion;
  readonly conflicts: readonly DeclaredConflict[];
}

export interface KnownLibrary {
  readonly key: string;
  readonly packageName: string;
  readonly capabilities: CatalogLibrary["capabilities"];
  /** The contracts of its capabilities, or their names, in lower case; each once. */
  readonly offered: readonly string[];
  /** Those of them that no two libraries of a set may offer. */
  readonly exclusive: readonly string[];
  /** Lowest first. */
  readonly releases: readonly Release[];
}

const mostTexts = 50_000;
const ranges = new Map<string, VersionRange | undefined>();
const frameworks = new Map<string, Framework>();
const libraries = new WeakMap<CatalogLibrary, KnownLibrary>();

/** What a library's texts say; read once for as long as somebody keeps the library. */
export function readLibrary(library: CatalogLibrary): KnownLibrary {
  const known = libraries.get(library) ?? readReleases(library);
  libraries.set(library, known);
  return known;
}

/** As `readFramework`; equal texts give one object. */
export function frameworkOf(text: string): Framework {
  return once(frameworks, text, readFramework);
}

function rangeOf(text: string): VersionRange | undefined {
  return once(ranges, text, parseRange);
}

function once<T>(memory: Map<string, T>, text: string, read: (text: string) => T): T {
  const known = memory.get(text);
  if (known !== undefined || memory.has(text)) return known as T;
  // texts are anybody's: a memory that is full starts anew
  if (memory.size >= mostTexts) memory.clear();
  const value = read(text);
  memory.set(text, value);
  return value;
}

function readReleases({ packageName, capabilities, versions }: CatalogLibrary): KnownLibrary {
  const releases: Release[] = [];
  const library = {
    key: packageName.toLowerCase(),
    packageName,
    capabilities,
    offered: namesOf(capabilities),
    exclusive: namesOf(capabilities.filter(({ exclusive }) => exclusive)),
    releases,
  };
  for (const registered of versions) {
    const version = parseVersion(registered.version);
    if (version !== undefined) releases.push(new RegisteredRelease(library, version, registered));
  }
  releases.sort((a, b) => compareVersions(a.version, b.version) || compareText(a.text, b.text));
  return library;
}

function namesOf(capabilities: CatalogLibrary["capabilities"]): string[] {
  return [...new Set(capabilities.map(({ name, contract }) => (contract ?? name).toLowerCase()))];
}

/** Of most releases only the version is ever looked at; the rest is read when it is asked for. */
class RegisteredRelease implements Release {
  readonly library: KnownLibrary;
  readonly text: string;
  readonly version: NugetVersion;
  readonly status: Release["status"];
  readonly targetFrameworks: readonly string[];
  readonly isGrouped: boolean;
  readonly registered: CatalogLibraryVersion;
  #dependencies: readonly Dependency[] | undefined;
  #conflicts: readonly DeclaredConflict[] | undefined;

  constructor(library: KnownLibrary, version: NugetVersion, registered: CatalogLibraryVersion) {
    this.library = library;
    this.text = registered.version;
    this.version = version;
    this.status = registered.status;
    this.targetFrameworks = registered.targetFrameworks;
    this.isGrouped = registered.dependencies.some(({ targetFramework }) => targetFramework != null);
    this.registered = registered;
  }

  get dependencies(): readonly Dependency[] {
    this.#dependencies ??= distinct(this.registered.dependencies.flatMap((dependency) => readDependency(dependency)));
    return this.#dependencies;
  }

  get conflicts(): readonly DeclaredConflict[] {
    this.#conflicts ??= this.registered.conflictsWith.flatMap((conflict) => readConflict(conflict));
    return this.#conflicts;
  }
}

// ranges are checked when they are stored: one that does not read binds nothing
function readDependency({ packageName, range: text, targetFramework }: PackageRequirement): Dependency[] {
  const range = rangeOf(text);
  const group = targetFramework == null ? undefined : frameworkOf(targetFramework);
  return range === undefined ? [] : [{ packageName, key: packageName.toLowerCase(), range, group }];
}

function readConflict({ packageName, range: text }: { packageName: string; range: string | null }): DeclaredConflict[] {
  const range = text === null ? undefined : rangeOf(text);
  return text !== null && range === undefined ? [] : [{ packageName, key: packageName.toLowerCase(), range }];
}

// the same dependency may come from the library and from the version
function distinct(dependencies: readonly Dependency[]): Dependency[] {
  const isRepeated = (one: Dependency, index: number) =>
    dependencies.slice(0, index).some((other) => isSame(one, other));
  return dependencies.filter((one, index) => !isRepeated(one, index)).sort(byName);
}

function isSame(a: Dependency, b: Dependency): boolean {
  const sameGroup = a.group === b.group || (a.group !== undefined && b.group && sameFramework(a.group, b.group));
  return a.key === b.key && a.range === b.range && sameGroup === true;
}

// the order in which a package declares them says nothing
function byName(a: Dependency, b: Dependency): number {
  return (
    compareText(a.key, b.key) ||
    compareText(a.range.text, b.range.text) ||
    compareText(a.group ? frameworkKey(a.group) : "", b.group ? frameworkKey(b.group) : "")
  );
}
