import { type Framework, readFramework, sameFramework } from "../nuget/framework.js";
import { isCompatible } from "../nuget/framework-compatibility.js";
import { frameworkKey } from "../nuget/framework-families.js";
import { nearestFramework } from "../nuget/nearest-framework.js";
import { compareVersions, isPrerelease, type NugetVersion, parseVersion } from "../nuget/version.js";
import { admitsPrereleases, bestMatch, parseRange, satisfies, type VersionRange } from "../nuget/version-range.js";
import { compareText } from "./evaluate-entries.js";
import type { CatalogLibrary, CatalogLibraryVersion, PackageRequirement } from "./evaluate-input.js";

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
  /** Lowest first. */
  readonly releases: readonly Release[];
}

/** What is known of releases in a project of one framework. */
interface OnProject {
  readonly supported: Map<Release, boolean>;
  readonly dependencies: Map<Release, readonly Dependency[]>;
}

/** The catalog as one evaluation and all its what-ifs see it: each text is read once. */
export class Snapshot {
  readonly #catalog: ReadonlyMap<string, CatalogLibrary>;
  readonly #libraries = new Map<string, KnownLibrary | undefined>();
  readonly #ranges = new Map<string, VersionRange | undefined>();
  readonly #lowest = new Map<KnownLibrary, Map<VersionRange, Release | undefined>>();
  readonly #projects = new Map<string, OnProject>();
  #latest: { project: Framework; known: OnProject } | undefined;
  readonly #frameworks = new Map<string, Framework>();

  constructor(catalog: ReadonlyMap<string, CatalogLibrary>) {
    this.#catalog = catalog;
  }

  library(key: string): KnownLibrary | undefined {
    return remembered(this.#libraries, key, () => {
      const found = this.#catalog.get(key);
      return found && this.#read(found);
    });
  }

  /** Every library of the snapshot, by name. */
  libraries(): KnownLibrary[] {
    return [...this.#catalog.keys()].sort().flatMap((key) => this.library(key) ?? []);
  }

  supports(release: Release, project: Framework): boolean {
    if (release.targetFrameworks.length === 0) return true;
    return remembered(this.#on(project).supported, release, () =>
      this.frameworksOf(release).some((asset) => isCompatible(project, asset)),
    );
  }

  frameworksOf({ targetFrameworks }: Release): Framework[] {
    return targetFrameworks
      .map((text) => this.#framework(text))
      .filter(({ identifier }) => identifier !== "Unsupported");
  }

  /** What the release depends on in a project: the ungrouped dependencies and the nearest group. */
  dependenciesOf(release: Release, project: Framework): readonly Dependency[] {
    if (!release.isGrouped) return release.dependencies;
    return remembered(this.#on(project).dependencies, release, () => {
      const nearest = nearestFramework(project, [
        ...release.dependencies.flatMap(({ group }) => group ?? []),
        ...(release.registered.dependencyGroups ?? []).map((text) => this.#framework(text)),
      ]);
      return release.dependencies.filter(
        ({ group }) => group === undefined || (nearest !== undefined && sameFramework(group, nearest)),
      );
    });
  }

  /** The release that a restore takes for these ranges; a retired one is never taken on its own. */
  lowest(library: KnownLibrary, ranges: readonly VersionRange[]): Release | undefined {
    const [first] = ranges;
    // equal texts are one range object, and the askers of one package mostly ask the same
    const isOne = first !== undefined && ranges.every((range) => range === first);
    return isOne ? this.lowestIn(library, first) : lowestOf(library, [...new Set(ranges)]);
  }

  lowestIn(library: KnownLibrary, range: VersionRange): Release | undefined {
    const byRange = remembered(this.#lowest, library, () => new Map<VersionRange, Release | undefined>());
    return remembered(byRange, range, () => lowestOf(library, [range]));
  }

  #read({ packageName, capabilities, versions }: CatalogLibrary): KnownLibrary {
    const releases: Release[] = [];
    const library = { key: packageName.toLowerCase(), packageName, capabilities, releases };
    for (const registered of versions) {
      const { version: text, status, targetFrameworks, dependencies, conflictsWith } = registered;
      const version = parseVersion(text);
      if (version === undefined) continue;
      // of most releases only the version is ever looked at
      const needs = onDemand(() => distinct(dependencies.flatMap((dependency) => this.#dependency(dependency))));
      const conflicts = onDemand(() => conflictsWith.flatMap((conflict) => this.#conflict(conflict)));
      releases.push({
        library,
        text,
        version,
        status,
        targetFrameworks,
        registered,
        isGrouped: dependencies.some(({ targetFramework }) => targetFramework != null),
        get dependencies() {
          return needs();
        },
        get conflicts() {
          return conflicts();
        },
      });
    }
    releases.sort((a, b) => compareVersions(a.version, b.version) || compareText(a.text, b.text));
    return library;
  }

  // ranges are checked when they are stored: one that does not read binds nothing
  #dependency({ packageName, range: text, targetFramework }: PackageRequirement): Dependency[] {
    const range = this.#range(text);
    const group = targetFramework == null ? undefined : this.#framework(targetFramework);
    return range === undefined ? [] : [{ packageName, key: packageName.toLowerCase(), range, group }];
  }

  #conflict({ packageName, range: text }: { packageName: string; range: string | null }): DeclaredConflict[] {
    const range = text === null ? undefined : this.#range(text);
    return text !== null && range === undefined ? [] : [{ packageName, key: packageName.toLowerCase(), range }];
  }

  // almost every question is about the project that the last one was about
  #on(project: Framework): OnProject {
    if (this.#latest?.project === project) return this.#latest.known;
    const known = remembered(this.#projects, frameworkKey(project), () => ({
      supported: new Map(),
      dependencies: new Map(),
    }));
    this.#latest = { project, known };
    return known;
  }

  #framework(text: string): Framework {
    return remembered(this.#frameworks, text, () => readFramework(text));
  }

  #range(text: string): VersionRange | undefined {
    return remembered(this.#ranges, text, () => parseRange(text));
  }
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

function lowestOf({ releases }: KnownLibrary, ranges: readonly VersionRange[]): Release | undefined {
  const prereleases = ranges.some(admitsPrereleases);
  const isUsable = ({ status, version }: Release) =>
    status !== "Retired" &&
    (prereleases || !isPrerelease(version)) &&
    ranges.every((range) => satisfies(range, version));
  const floating = ranges.find((range) => range.floating !== undefined);
  if (floating === undefined) return releases.find(isUsable);
  const usable = releases.filter(isUsable);
  const best = bestMatch(
    floating,
    usable.map(({ version }) => version),
  );
  return usable.find(({ version }) => version === best);
}

function onDemand<T>(read: () => T): () => T {
  let known: { value: T } | undefined;
  return () => (known ??= { value: read() }).value;
}

function remembered<K, T>(memory: Map<K, T>, key: K, compute: () => T): T {
  const known = memory.get(key);
  if (known !== undefined || memory.has(key)) return known as T;
  const value = compute();
  memory.set(key, value);
  return value;
}

export function releaseName({ library, text }: Release): string {
  return `${library.packageName} ${text}`;
}
