import { type Framework, sameFramework } from "../frameworks/framework.js";
import { isCompatible } from "../frameworks/framework-compatibility.js";
import { frameworkKey } from "../frameworks/framework-families.js";
import { nearestFramework } from "../frameworks/nearest-framework.js";
import { compareVersions, isPrerelease } from "../versions/version.js";
import { admitsPrereleases, bestMatch, satisfies, type VersionRange } from "../versions/version-range.js";
import type { DependencySource } from "./dependency-graph.js";
import { getOrCompute } from "./memoize.js";
import type { PackageMetadata } from "./package-metadata.js";
import { type Dependency, type KnownLibrary, type Release, readFrameworkOnce, readLibrary } from "./release.js";

/** Results that were computed for projects with one framework. */
interface ProjectMemory {
  readonly supported: WeakMap<Release, boolean>;
  readonly dependencies: WeakMap<Release, readonly Dependency[]>;
}

const maxProjects = 100;
// releases never change, so a result stays valid for as long as its release is kept
const projects = new Map<string, ProjectMemory>();

/** A fixed set of packages that dependencies are resolved from. Each text is parsed once, whatever is asked. */
export class PackageSnapshot<P extends PackageMetadata = PackageMetadata> {
  readonly #packages: ReadonlyMap<string, P>;
  readonly #libraries = new Map<string, KnownLibrary<P> | undefined>();
  readonly #lowest = new Map<KnownLibrary<P>, Map<VersionRange, Release<P> | undefined>>();
  #all: readonly KnownLibrary<P>[] | undefined;
  #latest: { project: Framework; memory: ProjectMemory } | undefined;

  /** `packages` by package name in lower case. */
  constructor(packages: ReadonlyMap<string, P>) {
    this.#packages = packages;
  }

  /** The package with a name in lower case; undefined where the snapshot does not have it. */
  library(key: string): KnownLibrary<P> | undefined {
    return getOrCompute(this.#libraries, key, () => {
      const metadata = this.#packages.get(key);
      return metadata && readLibrary(metadata);
    });
  }

  /** All packages, ordered by name. */
  libraries(): readonly KnownLibrary<P>[] {
    this.#all ??= [...this.#packages.keys()].sort().flatMap((key) => this.library(key) ?? []);
    return this.#all;
  }

  /** Whether a project with this framework can use the release. */
  supports(release: Release<P>, project: Framework): boolean {
    if (release.targetFrameworks.length === 0) return true;
    return getOrCompute(this.#memoryOf(project).supported, release, () =>
      this.frameworksOf(release).some((asset) => isCompatible(project, asset)),
    );
  }

  /** A release's target frameworks that NuGet knows. */
  frameworksOf({ targetFrameworks }: Release<P>): Framework[] {
    return targetFrameworks
      .map((text) => readFrameworkOnce(text))
      .filter(({ identifier }) => identifier !== "Unsupported");
  }

  /** A release's dependencies in a project: those without a group, and those in the nearest group. */
  dependenciesOf(release: Release<P>, project: Framework): readonly Dependency[] {
    if (!release.isGrouped) return release.dependencies;
    return getOrCompute(this.#memoryOf(project).dependencies, release, () => {
      const nearest = nearestFramework(project, [
        ...release.dependencies.flatMap(({ group }) => group ?? []),
        ...(release.registered.dependencyGroups ?? []).map((text) => readFrameworkOnce(text)),
      ]);
      return release.dependencies.filter(
        ({ group }) => group === undefined || (nearest !== undefined && sameFramework(group, nearest)),
      );
    });
  }

  /** Answers what a restore asks about releases in a project with this framework. */
  sourceFor(project: Framework): DependencySource<P> {
    return {
      library: (key) => this.library(key),
      lowestIn: (library, range) => this.lowestIn(library, range),
      lowest: (library, ranges) => this.lowest(library, ranges),
      isSupported: (release) => this.supports(release, project),
      dependenciesOf: (release) => this.dependenciesOf(release, project),
    };
  }

  /** The release that a restore takes for several ranges: the highest that any one comes to, if it satisfies all. */
  lowest(library: KnownLibrary<P>, ranges: readonly VersionRange[]): Release<P> | undefined {
    let highest: Release<P> | undefined;
    // equal texts are one range object, and the dependents of one package mostly name the same range
    const different = new Set(ranges);
    for (const range of different) {
      const release = this.lowestIn(library, range);
      if (release === undefined) return undefined;
      if (highest === undefined || compareVersions(release.version, highest.version) > 0) highest = release;
    }
    for (const range of different) if (highest && !satisfies(range, highest.version)) return undefined;
    return highest;
  }

  /** The release that a restore takes for a range: the lowest, or a floating range's highest, never a retired one. */
  lowestIn(library: KnownLibrary<P>, range: VersionRange): Release<P> | undefined {
    const byRange = getOrCompute(this.#lowest, library, () => new Map<VersionRange, Release<P> | undefined>());
    return getOrCompute(byRange, range, () => lowestOf(library, range));
  }

  // almost every question is about the same project as the question before
  #memoryOf(project: Framework): ProjectMemory {
    if (this.#latest?.project === project) return this.#latest.memory;
    const memory = projectMemory(project);
    this.#latest = { project, memory };
    return memory;
  }
}

function projectMemory(project: Framework): ProjectMemory {
  // callers choose the projects, so a full memory starts again from empty
  if (projects.size >= maxProjects) projects.clear();
  return getOrCompute(projects, frameworkKey(project), () => ({
    supported: new WeakMap(),
    dependencies: new WeakMap(),
  }));
}

function lowestOf<P extends PackageMetadata>(
  { releases }: KnownLibrary<P>,
  range: VersionRange,
): Release<P> | undefined {
  const prereleases = admitsPrereleases(range);
  const isUsable = ({ status, version }: Release<P>) =>
    status !== "Retired" && (prereleases || !isPrerelease(version)) && satisfies(range, version);
  if (range.floating === undefined) return releases.find(isUsable);
  const usable = releases.filter(isUsable);
  const best = bestMatch(
    range,
    usable.map(({ version }) => version),
  );
  return usable.find(({ version }) => version === best);
}
