import { compareVersions, type NugetVersion } from "../nuget/version.js";
import type { Entry } from "./evaluate-entries.js";
import type { Dependency, KnownLibrary, Release, Snapshot } from "./evaluate-snapshot.js";

/** A package that takes part in a restore: listed in the set, or brought in by what it lists. */
export interface Node {
  readonly key: string;
  readonly packageName: string;
  readonly direct: boolean;
  readonly version: NugetVersion | undefined;
  readonly release: Release | undefined;
  /** How it came in: the releases from one of the set down to the one that asks for it. */
  readonly path: readonly Release[];
}

/** A dependency of a release that takes part. */
export interface Edge extends Dependency {
  readonly from: Release;
  readonly path: readonly Release[];
}

export interface Graph {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: readonly Edge[];
  /** Packages whose ranges leave no version although each alone would. */
  readonly conflicts: ReadonlyMap<string, readonly Edge[]>;
  /** Edges to a known library of which no version is in the range. */
  readonly unsatisfied: readonly Edge[];
  /** Edges to packages that the catalog does not know, or knows without versions. */
  readonly unknown: readonly Edge[];
}

// a restore settles in a few rounds; choices that chase each other are cut off
const maxRounds = 10;

/** Walks the dependencies as a restore does: listed versions win, else the lowest version that serves every asker. */
export function walk(entries: readonly Entry[], snapshot: Snapshot, supported: (release: Release) => boolean): Graph {
  const direct = new Map<string, Entry>();
  const leftOut = new Set<string>();
  for (const entry of entries) {
    const broken = entry.release === undefined ? (entry.library?.releases.length ?? 0) > 0 : !supported(entry.release);
    if (broken) leftOut.add(entry.key);
    else if (!direct.has(entry.key)) direct.set(entry.key, entry);
  }
  for (const key of direct.keys()) leftOut.delete(key);
  const isFixed = (key: string) => direct.has(key) || leftOut.has(key);
  let chosen = new Map<string, Release>();
  for (let round = 1; ; round += 1) {
    const reached = collectEdges(direct, { isFixed, chosen, snapshot });
    const next = choose(reached, { isFixed, snapshot });
    if (round === maxRounds || sameChoice(chosen, next.chosen)) return graphOf(direct, reached, next, leftOut);
    chosen = next.chosen;
  }
}

interface Surroundings {
  isFixed: (key: string) => boolean;
  chosen: ReadonlyMap<string, Release>;
  snapshot: Snapshot;
}

function collectEdges(direct: ReadonlyMap<string, Entry>, { isFixed, chosen, snapshot }: Surroundings): Edge[] {
  const edges: Edge[] = [];
  const seen = new Set<string>();
  const queue = [...direct.values()].flatMap(({ release }) => (release ? [{ release, path: [] as Release[] }] : []));
  for (const { release, path } of queue) {
    const onward = [...path, release];
    for (const dependency of release.dependencies) {
      edges.push({ ...dependency, from: release, path: onward });
      if (isFixed(dependency.key) || seen.has(dependency.key)) continue;
      seen.add(dependency.key);
      const library = snapshot.library(dependency.key);
      const next = chosen.get(dependency.key) ?? (library && snapshot.lowest(library, [dependency.range]));
      if (next !== undefined) queue.push({ release: next, path: onward });
    }
  }
  return edges;
}

interface Choice {
  chosen: Map<string, Release>;
  conflicts: Map<string, readonly Edge[]>;
  unsatisfied: Edge[];
  unknown: Edge[];
}

function choose(edges: readonly Edge[], { isFixed, snapshot }: Omit<Surroundings, "chosen">): Choice {
  const choice: Choice = { chosen: new Map(), conflicts: new Map(), unsatisfied: [], unknown: [] };
  const open = edges.filter(({ key }) => !isFixed(key));
  for (const [key, asking] of byPackage(open)) {
    const library = snapshot.library(key);
    if (library === undefined || library.releases.length === 0) {
      choice.unknown.push(...asking);
      continue;
    }
    const [able, unable] = split(asking, ({ range }) => snapshot.lowest(library, [range]) !== undefined);
    choice.unsatisfied.push(...unable);
    const all = snapshot.lowest(
      library,
      able.map(({ range }) => range),
    );
    if (all === undefined && able.length > 0) choice.conflicts.set(key, able);
    const release = all ?? highestAsked(snapshot, library, able);
    if (release !== undefined && able.length > 0) choice.chosen.set(key, release);
  }
  return choice;
}

function byPackage(edges: readonly Edge[]): Map<string, Edge[]> {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const group = groups.get(edge.key);
    if (group === undefined) groups.set(edge.key, [edge]);
    else group.push(edge);
  }
  return groups;
}

// after a conflict the walk goes on with what the most demanding asker wants
function highestAsked(snapshot: Snapshot, library: KnownLibrary, edges: readonly Edge[]): Release | undefined {
  const wanted = edges.flatMap(({ range }) => snapshot.lowest(library, [range]) ?? []);
  return wanted.sort((a, b) => compareVersions(b.version, a.version))[0];
}

function sameChoice(a: ReadonlyMap<string, Release>, b: ReadonlyMap<string, Release>): boolean {
  return a.size === b.size && [...a].every(([key, release]) => b.get(key) === release);
}

function graphOf(
  direct: ReadonlyMap<string, Entry>,
  edges: readonly Edge[],
  { chosen, conflicts, unsatisfied, unknown }: Choice,
  leftOut: ReadonlySet<string>,
): Graph {
  const nodes = new Map<string, Node>();
  for (const { key, packageName, version, release } of direct.values())
    nodes.set(key, { key, packageName, version, release, direct: true, path: [] });
  for (const { key, path } of edges) {
    const release = chosen.get(key);
    if (nodes.has(key) || release === undefined) continue;
    const { library, version } = release;
    nodes.set(key, { key, packageName: library.packageName, version, release, direct: false, path });
  }
  return { nodes, edges: edges.filter(({ key }) => !leftOut.has(key)), conflicts, unsatisfied, unknown };
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
