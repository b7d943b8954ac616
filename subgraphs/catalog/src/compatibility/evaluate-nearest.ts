import type { Release, Snapshot } from "./evaluate-snapshot.js";
import type { Edge } from "./evaluate-walk.js";

/** Answers which askers of a package a restore hears: below a release that asks for the package itself, what others
 * there ask no longer counts (learn.microsoft.com/nuget/concepts/dependency-resolution). */
export class Nearness {
  readonly #roots: ReadonlySet<Release>;
  readonly #asking: ReadonlyMap<string, readonly Edge[]>;
  readonly #snapshot: Snapshot;
  readonly #askers = new Map<string, ReadonlySet<Release>>();

  constructor(roots: Iterable<Release>, asking: ReadonlyMap<string, readonly Edge[]>, snapshot: Snapshot) {
    this.#roots = new Set(roots);
    this.#asking = asking;
    this.#snapshot = snapshot;
  }

  /** The asker that is nearer than this one on every way to it, or undefined where the demand is heard. */
  nearer(edge: Edge): Release | undefined {
    if (this.#roots.has(edge.from)) return undefined;
    const askers = this.#askersOf(edge.key);
    return this.#hasFreeWay(edge.from, askers) ? undefined : nearestOf(edge, askers);
  }

  #askersOf(key: string): ReadonlySet<Release> {
    let askers = this.#askers.get(key);
    if (askers === undefined) {
      askers = new Set(this.#asking.get(key)?.map(({ from }) => from));
      this.#askers.set(key, askers);
    }
    return askers;
  }

  // upwards from the asker, so that an answer mostly costs no more than one way to the top
  #hasFreeWay(start: Release, blocked: ReadonlySet<Release>): boolean {
    const seen = new Set([start]);
    const open = [start];
    for (let release = open.pop(); release !== undefined; release = open.pop())
      for (const { from, range } of this.#asking.get(release.library.key) ?? []) {
        if (blocked.has(from) || seen.has(from)) continue;
        // who asks for a version that gave way did not bring this one in
        if (this.#snapshot.lowestIn(release.library, range) !== release) continue;
        if (this.#roots.has(from)) return true;
        seen.add(from);
        open.push(from);
      }
    return false;
  }
}

function nearestOf({ path, from }: Edge, askers: ReadonlySet<Release>): Release | undefined {
  return path.findLast((release) => release !== from && askers.has(release)) ?? [...askers][0];
}
