import { type Framework, sameFramework } from "../frameworks/framework.js";
import { isCompatible } from "../frameworks/framework-compatibility.js";
import { frameworkKey } from "../frameworks/framework-families.js";
import { nearestFramework } from "../frameworks/nearest-framework.js";
import { compareVersions, isPrerelease } from "../versions/version.js";
import { admitsPrereleases, bestMatch, satisfies, type VersionRange } from "../versions/version-range.js";
import type { CatalogLibrary } from "./evaluate-input.js";
import { type Dependency, frameworkOf, type KnownLibrary, type Release, readLibrary } from "./release.js";

export type { DeclaredConflict, Dependency, KnownLibrary, Release } from "./release.js";

/** What is known of releases in a project of one framework. */
interface OnProject {
  readonly supported: WeakMap<Release, boolean>;
  readonly dependencies: WeakMap<Release, readonly Dependency[]>;
}

const mostProjects = 100;
// releases never change, so what is found out of one stays known for as long as it is kept
const projects = new Map<string, OnProject>();

/** The catalog as one evaluation and all its what-ifs see it: each text is read once. */
export class Snapshot {
  readonly #catalog: ReadonlyMap<string, CatalogLibrary>;
  readonly #libraries = new Map<string, KnownLibrary | undefined>();
  readonly #lowest = new Map<KnownLibrary, Map<VersionRange, Release | undefined>>();
  #latest: { project: Framework; known: OnProject } | undefined;

  constructor(catalog: ReadonlyMap<string, CatalogLibrary>) {
    this.#catalog = catalog;
  }

  library(key: string): KnownLibrary | undefined {
    return remembered(this.#libraries, key, () => {
      const found = this.#catalog.get(key);
      return found && readLibrary(found);
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
    return targetFrameworks.map((text) => frameworkOf(text)).filter(({ identifier }) => identifier !== "Unsupported");
  }

  /** What the release depends on in a project: the ungrouped dependencies and the nearest group. */
  dependenciesOf(release: Release, project: Framework): readonly Dependency[] {
    if (!release.isGrouped) return release.dependencies;
    return remembered(this.#on(project).dependencies, release, () => {
      const nearest = nearestFramework(project, [
        ...release.dependencies.flatMap(({ group }) => group ?? []),
        ...(release.registered.dependencyGroups ?? []).map((text) => frameworkOf(text)),
      ]);
      return release.dependencies.filter(
        ({ group }) => group === undefined || (nearest !== undefined && sameFramework(group, nearest)),
      );
    });
  }

  /** The release that a restore takes for these ranges: the highest that one of them comes to, if it suits all. */
  lowest(library: KnownLibrary, ranges: readonly VersionRange[]): Release | undefined {
    let highest: Release | undefined;
    // equal texts are one range object, and the askers of one package mostly ask the same
    const different = new Set(ranges);
    for (const range of different) {
      const own = this.lowestIn(library, range);
      if (own === undefined) return undefined;
      if (highest === undefined || compareVersions(own.version, highest.version) > 0) highest = own;
    }
    for (const range of different) if (highest && !satisfies(range, highest.version)) return undefined;
    return highest;
  }

  /** What one range comes to: the lowest release, of a floating one the highest; a retired one is never taken. */
  lowestIn(library: KnownLibrary, range: VersionRange): Release | undefined {
    const byRange = remembered(this.#lowest, library, () => new Map<VersionRange, Release | undefined>());
    return remembered(byRange, range, () => lowestOf(library, range));
  }

  // almost every question is about the project that the last one was about
  #on(project: Framework): OnProject {
    if (this.#latest?.project === project) return this.#latest.known;
    const known = onProject(project);
    this.#latest = { project, known };
    return known;
  }
}

function onProject(project: Framework): OnProject {
  // runtimes are anybody's: a memory that is full starts anew
  if (projects.size >= mostProjects) projects.clear();
  return remembered(projects, frameworkKey(project), () => ({ supported: new WeakMap(), dependencies: new WeakMap() }));
}

function lowestOf({ releases }: KnownLibrary, range: VersionRange): Release | undefined {
  const prereleases = admitsPrereleases(range);
  const isUsable = ({ status, version }: Release) =>
    status !== "Retired" && (prereleases || !isPrerelease(version)) && satisfies(range, version);
  if (range.floating === undefined) return releases.find(isUsable);
  const usable = releases.filter(isUsable);
  const best = bestMatch(
    range,
    usable.map(({ version }) => version),
  );
  return usable.find(({ version }) => version === best);
}

interface Memory<K, T> {
  get(key: K): T | undefined;
  has(key: K): boolean;
  set(key: K, value: T): unknown;
}

function remembered<K, T>(memory: Memory<K, T>, key: K, compute: () => T): T {
  const known = memory.get(key);
  if (known !== undefined || memory.has(key)) return known as T;
  const value = compute();
  memory.set(key, value);
  return value;
}

export function releaseName({ library, text }: Release): string {
  return `${library.packageName} ${text}`;
}
