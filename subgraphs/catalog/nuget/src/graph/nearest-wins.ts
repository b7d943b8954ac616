import type { DependencyEdge, DependencySource } from "./dependency-graph.js";
import type { PackageMetadata } from "./package-metadata.js";
import type { Release } from "./release.js";

/** The releases that depend on one package. */
interface Dependents<P extends PackageMetadata> {
  readonly releases: ReadonlySet<Release<P>>;
  /** The steps that searches for single dependents may still take before all dependents are decided at once. */
  stepsLeft: number;
  /** The dependents that a path reaches past all other dependents; undefined until all are decided. */
  reachable: ReadonlySet<Release<P>> | undefined;
}

/**
 * The nearest-wins rule: a dependency is ignored when on every path to it a nearer release depends on the same package
 * (learn.microsoft.com/nuget/concepts/dependency-resolution, "Direct dependency wins").
 */
export class NearestWins<P extends PackageMetadata = PackageMetadata> {
  readonly #roots: ReadonlySet<Release<P>>;
  readonly #edgesTo: ReadonlyMap<string, readonly DependencyEdge<P>[]>;
  readonly #source: Pick<DependencySource<P>, "library" | "lowestIn">;
  readonly #dependents = new Map<string, Dependents<P>>();
  readonly #edgeCount: number;
  #edgesFrom: ReadonlyMap<Release<P>, readonly DependencyEdge<P>[]> | undefined;

  /** `edgesTo` holds the graph's edges by the package that they lead to. */
  constructor(
    roots: Iterable<Release<P>>,
    edgesTo: ReadonlyMap<string, readonly DependencyEdge<P>[]>,
    source: Pick<DependencySource<P>, "library" | "lowestIn">,
  ) {
    this.#roots = new Set(roots);
    this.#edgesTo = edgesTo;
    this.#source = source;
    this.#edgeCount = [...edgesTo.values()].reduce((count, edges) => count + edges.length, 0);
  }

  /** The nearer release that makes a restore ignore this edge; undefined where the edge counts. */
  nearer(edge: DependencyEdge<P>): Release<P> | undefined {
    if (this.#roots.has(edge.from)) return undefined;
    const dependents = this.#dependentsOf(edge.key);
    return this.#hasOwnPath(edge.from, dependents) ? undefined : nearestOf(edge, dependents.releases);
  }

  #dependentsOf(key: string): Dependents<P> {
    let dependents = this.#dependents.get(key);
    if (dependents === undefined) {
      const releases = new Set(this.#edgesTo.get(key)?.map(({ from }) => from));
      dependents = { releases, stepsLeft: this.#edgeCount, reachable: undefined };
      this.#dependents.set(key, dependents);
    }
    return dependents;
  }

  // searches upwards from the dependent, so that an answer mostly costs no more than one path to a root
  #hasOwnPath(start: Release<P>, dependents: Dependents<P>): boolean {
    if (dependents.reachable) return dependents.reachable.has(start);
    const visitedReleases = new Set([start]);
    const open = [start];
    for (let release = open.pop(); release !== undefined; release = open.pop())
      for (const { from, range } of this.#edgesTo.get(release.library.key) ?? []) {
        dependents.stepsLeft -= 1;
        if (dependents.stepsLeft < 0) return this.#reachableDependents(dependents).has(start);
        if (dependents.releases.has(from) || visitedReleases.has(from)) continue;
        // a release whose range comes to another version did not bring this one in
        if (this.#source.lowestIn(release.library, range) !== release) continue;
        if (this.#roots.has(from)) return true;
        visitedReleases.add(from);
        open.push(from);
      }
    return false;
  }

  /** Decides all dependents of a package in one walk down from the roots: many single searches repeat the same steps. */
  #reachableDependents(dependents: Dependents<P>): ReadonlySet<Release<P>> {
    const reachable = new Set<Release<P>>();
    const open = [...this.#roots].filter((root) => !dependents.releases.has(root));
    for (let release = open.pop(); release !== undefined; release = open.pop())
      for (const { key, range } of this.#edgesOf(release)) {
        const library = this.#source.library(key);
        const next = library && this.#source.lowestIn(library, range);
        if (next === undefined || reachable.has(next)) continue;
        reachable.add(next);
        if (!dependents.releases.has(next)) open.push(next);
      }
    dependents.reachable = reachable;
    return reachable;
  }

  #edgesOf(release: Release<P>): readonly DependencyEdge<P>[] {
    this.#edgesFrom ??= this.#byDependent();
    return this.#edgesFrom.get(release) ?? [];
  }

  #byDependent(): Map<Release<P>, DependencyEdge<P>[]> {
    const edgesFrom = new Map<Release<P>, DependencyEdge<P>[]>();
    for (const edge of [...this.#edgesTo.values()].flat()) {
      const siblings = edgesFrom.get(edge.from);
      if (siblings === undefined) edgesFrom.set(edge.from, [edge]);
      else siblings.push(edge);
    }
    return edgesFrom;
  }
}

function nearestOf<P extends PackageMetadata>(
  { path, from }: DependencyEdge<P>,
  dependents: ReadonlySet<Release<P>>,
): Release<P> | undefined {
  return path.findLast((release) => release !== from && dependents.has(release)) ?? [...dependents][0];
}
