import { type Framework, readFramework, sameFramework } from "../frameworks/framework.js";
import { frameworkKey } from "../frameworks/framework-families.js";
import { compareText } from "../text-order.js";
import { compareVersions, type NugetVersion, parseVersion } from "../versions/version.js";
import { parseRange, type VersionRange } from "../versions/version-range.js";
import { getOrCompute, memoize } from "./memoize.js";
import type { PackageMetadata, PackageRequirement } from "./package-metadata.js";

/** A release's dependency, its texts parsed. */
export interface Dependency {
  readonly packageName: string;
  /** The package name in lower case. */
  readonly key: string;
  readonly range: VersionRange;
  /** Its dependency group's framework; undefined where it counts on every framework. */
  readonly group: Framework | undefined;
}

/** One package version, its texts parsed. */
export interface Release<P extends PackageMetadata = PackageMetadata> {
  readonly library: KnownLibrary<P>;
  /** The version as it was written. */
  readonly text: string;
  readonly version: NugetVersion;
  readonly status: P["versions"][number]["status"];
  readonly targetFrameworks: readonly string[];
  /** Whether some dependencies stand in groups. */
  readonly isGrouped: boolean;
  /** The dependencies in all groups, ordered by package name. */
  readonly dependencies: readonly Dependency[];
  /** The metadata that the release was read from. */
  readonly registered: P["versions"][number];
}

/** A package with all its releases. */
export interface KnownLibrary<P extends PackageMetadata = PackageMetadata> {
  /** The package name in lower case. */
  readonly key: string;
  readonly packageName: string;
  /** The metadata that the package was read from. */
  readonly registered: P;
  /** Lowest first. */
  readonly releases: readonly Release<P>[];
}

const maxTexts = 50_000;
const libraries = new WeakMap<PackageMetadata, KnownLibrary>();

/** Parses a moniker as `readFramework` does; equal texts give the same object. */
export const readFrameworkOnce: (text: string) => Framework = memoize(maxTexts, readFramework);

const parseRangeOnce = memoize(maxTexts, parseRange);

/** Parses a package's versions, once for each metadata object. Versions that are not valid are left out. */
export function readLibrary<P extends PackageMetadata>(metadata: P): KnownLibrary<P> {
  return getOrCompute(libraries, metadata, () => readReleases(metadata)) as KnownLibrary<P>;
}

/** The package name and the version: `Polly 8.4.2`. */
export function releaseName({ library, text }: Pick<Release, "text"> & { library: { packageName: string } }): string {
  return `${library.packageName} ${text}`;
}

function readReleases<P extends PackageMetadata>(metadata: P): KnownLibrary<P> {
  const { packageName } = metadata;
  const releases: Release<P>[] = [];
  const library = { key: packageName.toLowerCase(), packageName, registered: metadata, releases };
  for (const entry of metadata.versions) {
    const version = parseVersion(entry.version);
    if (version !== undefined) releases.push(new RegisteredRelease(library, version, entry));
  }
  releases.sort((a, b) => compareVersions(a.version, b.version) || compareText(a.text, b.text));
  return library;
}

/** Parses the dependencies only when they are asked for: most releases are looked at for their version only. */
class RegisteredRelease<P extends PackageMetadata> implements Release<P> {
  readonly library: KnownLibrary<P>;
  readonly text: string;
  readonly version: NugetVersion;
  readonly status: Release<P>["status"];
  readonly targetFrameworks: readonly string[];
  readonly isGrouped: boolean;
  readonly registered: P["versions"][number];
  #dependencies: readonly Dependency[] | undefined;

  constructor(library: KnownLibrary<P>, version: NugetVersion, entry: P["versions"][number]) {
    this.library = library;
    this.text = entry.version;
    this.version = version;
    this.status = entry.status;
    this.targetFrameworks = entry.targetFrameworks;
    this.isGrouped = entry.dependencies.some(({ targetFramework }) => targetFramework != null);
    this.registered = entry;
  }

  get dependencies(): readonly Dependency[] {
    this.#dependencies ??= distinct(this.registered.dependencies.flatMap((dependency) => readDependency(dependency)));
    return this.#dependencies;
  }
}

// An invalid range restricts nothing here. The catalog checks ranges when it stores metadata.
function readDependency({ packageName, range: text, targetFramework }: PackageRequirement): Dependency[] {
  const range = parseRangeOnce(text);
  const group = targetFramework == null ? undefined : readFrameworkOnce(targetFramework);
  return range === undefined ? [] : [{ packageName, key: packageName.toLowerCase(), range, group }];
}

// the same dependency may be listed more than once
function distinct(dependencies: readonly Dependency[]): Dependency[] {
  const isRepeated = (dependency: Dependency, index: number) =>
    dependencies.slice(0, index).some((other) => isSame(dependency, other));
  return dependencies.filter((dependency, index) => !isRepeated(dependency, index)).sort(byName);
}

function isSame(a: Dependency, b: Dependency): boolean {
  const sameGroup = a.group === b.group || (a.group !== undefined && b.group && sameFramework(a.group, b.group));
  return a.key === b.key && a.range === b.range && sameGroup === true;
}

// the order in which a package declares its dependencies has no meaning
function byName(a: Dependency, b: Dependency): number {
  return (
    compareText(a.key, b.key) ||
    compareText(a.range.text, b.range.text) ||
    compareText(a.group ? frameworkKey(a.group) : "", b.group ? frameworkKey(b.group) : "")
  );
}
