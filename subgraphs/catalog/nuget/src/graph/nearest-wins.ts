import type { Release, Snapshot } from "./package-snapshot.js";
import type { Edge } from "./restore-walk.js";

interface Askers {
  readonly releases: ReadonlySet<Release>;
  /** What single searches may still look at before all askers are decided at once. */
  stepsLeft: number;
  /** Those to which a way leads past all the others, once they were decided. */
  free: ReadonlySet<Release> | undefined;
}

/** Answers which askers of a package a restore hears: below a release that asks for the package itself, what others
 * there ask no longer counts (learn.microsoft.com/nuget/concepts/dependency-resolution). */
export class Nearness {
  readonly #roots: ReadonlySet<Release>;
  readonly #asking: ReadonlyMap<string, readonly Edge[]>;
  readonly #snapshot: Snapshot;
  readonly #askers = new Map<string, Askers>();
  readonly #edgeCount: number;
  #onward: ReadonlyMap<Release, readonly Edge[]> | undefined;

  constructor(roots: Iterable<Release>, asking: ReadonlyMap<string, readonly Edge[]>, snapshot: Snapshot) {
    this.#roots = new Set(roots);
    this.#asking = asking;
    this.#snapshot = snapshot;
    this.#edgeCount = [...asking.values()].reduce((count, edges) => count + edges.length, 0);
  }

  /** The asker that is nearer than this one on every way to it, or undefined where the demand is heard. */
  nearer(edge: Edge): Release | undefined {
    if (this.#roots.has(edge.from)) return undefined;
    const askers = this.#askersOf(edge.key);
    return this.#hasFreeWay(edge.from, askers) ? undefined : nearestOf(edge, askers.releases);
  }

  #askersOf(key: string): Askers {
    let askers = this.#askers.get(key);
    if (askers === undefined) {
      const releases = new Set(this.#asking.get(key)?.map(({ from }) => from));
      askers = { releases, stepsLeft: this.#edgeCount, free: undefined };
      this.#askers.set(key, askers);
    }
    return askers;
  }

  // upwards from the asker, so that an answer mostly costs no more than one way to the top
  #hasFreeWay(start: Release, askers: Askers): boolean {
    if (askers.free) return askers.free.has(start);
    const seen = new Set([start]);
    const open = [start];
    for (let release = open.pop(); release !== undefined; release = open.pop())
      for (const { from, range } of this.#asking.get(release.library.key) ?? []) {
        askers.stepsLeft -= 1;
        if (askers.stepsLeft < 0) return this.#freeAskers(askers).has(start);
        if (askers.releases.has(from) || seen.has(from)) continue;
        // who asks for a version that gave way did not bring this one in
        if (this.#snapshot.lowestIn(release.library, range) !== release) continue;
        if (this.#roots.has(from)) return true;
        seen.add(from);
        open.push(from);
      }
    return false;
  }

  /** Downwards from the top, for all askers of a package in one walk: many single searches look at the same again. */
  #freeAskers(askers: Askers): ReadonlySet<Release> {
    const reached = new Set<Release>();
    const open = [...this.#roots].filter((root) => !askers.releases.has(root));
    for (let release = open.pop(); release !== undefined; release = open.pop())
      for (const { key, range } of this.#needsOf(release)) {
        const library = this.#snapshot.library(key);
        const next = library && this.#snapshot.lowestIn(library, range);
        if (next === undefined || reached.has(next)) continue;
        reached.add(next);
        if (!askers.releases.has(next)) open.push(next);
      }
    askers.free = reached;
    return reached;
  }

  #needsOf(release: Release): readonly Edge[] {
    this.#onward ??= this.#byAsker();
    return this.#onward.get(release) ?? [];
  }

  #byAsker(): Map<Release, Edge[]> {
    const onward = new Map<Release, Edge[]>();
    for (const edge of [...this.#asking.values()].flat()) {
      const known = onward.get(edge.from);
      if (known === undefined) onward.set(edge.from, [edge]);
      else known.push(edge);
    }
    return onward;
  }
}

function nearestOf({ path, from }: Edge, askers: ReadonlySet<Release>): Release | undefined {
  return path.findLast((release) => release !== from && askers.has(release)) ?? [...askers][0];
}
