import type { Release } from "./evaluate-snapshot.js";
import type { Edge } from "./evaluate-walk.js";

interface Ways {
  readonly roots: readonly Release[];
  readonly onward: ReadonlyMap<Release, readonly Edge[]>;
}

/** The askers of a package that a restore does not hear, each with a nearer one: below a release that asks for the
 * package itself, what the others there ask no longer counts (learn.microsoft.com/nuget/concepts/dependency-resolution). */
export function nearerAskers(key: string, asking: readonly Edge[], { roots, onward }: Ways): Map<Edge, Release> {
  const askers = new Set(asking.map(({ from }) => from));
  const byPackage = new Map<string, Release>();
  for (const release of onward.keys()) byPackage.set(release.library.key, release);
  const reached = new Set<Release>(roots);
  // where an asker is met, the way ends: everything below it is overruled on this way
  const open = new Set<Release>();
  for (const release of reached) {
    if (askers.has(release)) open.add(release);
    else for (const edge of onward.get(release) ?? []) enter(byPackage.get(edge.key), reached);
  }
  const overruled = new Map<Edge, Release>();
  for (const edge of asking) {
    if (open.has(edge.from)) continue;
    const by = edge.path.find((release) => release !== edge.from && askers.has(release)) ?? askerAbove(edge, open);
    if (by !== undefined && by.library.key !== key) overruled.set(edge, by);
  }
  return overruled;
}

function enter(release: Release | undefined, reached: Set<Release>): void {
  if (release !== undefined) reached.add(release);
}

// the way that was kept for the edge may be another than the one that overrules it
function askerAbove(edge: Edge, open: ReadonlySet<Release>): Release | undefined {
  return [...open].find((release) => release !== edge.from);
}
