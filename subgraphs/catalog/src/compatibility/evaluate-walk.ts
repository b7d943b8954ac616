import { compareVersions, type NugetVersion } from "../nuget/version.js";
import type { Entry } from "./evaluate-entries.js";
import { nearerAskers } from "./evaluate-nearest.js";
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

/** A demand that a restore does not look at, because on every way to it a nearer release asks for the package. */
export interface Overruled {
  readonly edge: Edge;
  readonly by: Release;
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
  readonly overruled: readonly Overruled[];
}

/** What a walk asks about releases in the project. */
export interface Ground {
  readonly snapshot: Snapshot;
  readonly isSupported: (release: Release) => boolean;
  readonly dependenciesOf: (release: Release) => readonly Dependency[];
}

// a restore settles in a few rounds; choices that chase each other are cut off
const maxRounds = 10;

/** Walks the dependencies as a restore does: listed versions win, then the nearest asker on each way, and among the
 * askers that are left the lowest version that serves them all. */
export function walk(entries: readonly Entry[], ground: Ground): Graph {
  const direct = new Map<string, Entry>();
  const leftOut = new Set<string>();
  for (const entry of entries) {
    const { release, library } = entry;
    const broken = release === undefined ? (library?.releases.length ?? 0) > 0 : !ground.isSupported(release);
    if (broken) leftOut.add(entry.key);
    else if (!direct.has(entry.key)) direct.set(entry.key, entry);
  }
  for (const key of direct.keys()) leftOut.delete(key);
  const isFixed = (key: string) => direct.has(key) || leftOut.has(key);
  let chosen: ReadonlyMap<string, Release> = new Map();
  for (let round = 1; ; round += 1) {
    const surroundings = { ...ground, isFixed, chosen };
    const reached = collectEdges(direct, surroundings);
    const next = choose(direct, reached, surroundings);
    if (round === maxRounds || sameChoice(chosen, next.chosen)) return graphOf(direct, reached, next, leftOut);
    chosen = next.chosen;
  }
}

interface Surroundings extends Ground {
  readonly isFixed: (key: string) => boolean;
  readonly chosen: ReadonlyMap<string, Release>;
}

function collectEdges(direct: ReadonlyMap<string, Entry>, surroundings: Surroundings): Edge[] {
  const { isFixed, chosen, snapshot, dependenciesOf } = surroundings;
  const edges: Edge[] = [];
  const seen = new Set<string>();
  const queue = [...direct.values()].flatMap(({ release }) => (release ? [{ release, path: [] as Release[] }] : []));
  for (const { release, path } of queue) {
    const onward = [...path, release];
    for (const dependency of dependenciesOf(release)) {
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
  overruled: Overruled[];
}

function choose(direct: ReadonlyMap<string, Entry>, edges: readonly Edge[], surroundings: Surroundings): Choice {
  const { isFixed, snapshot } = surroundings;
  const choice: Choice = { chosen: new Map(), conflicts: new Map(), unsatisfied: [], unknown: [], overruled: [] };
  const onward = byAsker(edges);
  const roots = [...direct.values()].flatMap(({ release }) => release ?? []);
  for (const [key, asking] of byPackage(edges)) {
    if (isFixed(key)) continue;
    const library = snapshot.library(key);
    if (library === undefined || library.releases.length === 0) {
      choice.unknown.push(...asking);
      continue;
    }
    // askers of the same range need no order among them
    const differ = asking.some(({ range }) => range !== asking[0]?.range);
    const nearer = differ ? nearerAskers(key, asking, { roots, onward }) : new Map<Edge, Release>();
    for (const [edge, by] of nearer) choice.overruled.push({ edge, by });
    const counting = asking.filter((edge) => !nearer.has(edge));
    const [able, unable] = split(counting, ({ range }) => snapshot.lowest(library, [range]) !== undefined);
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
  return grouped(edges, ({ key }) => key);
}

function byAsker(edges: readonly Edge[]): Map<Release, Edge[]> {
  return grouped(edges, ({ from }) => from);
}

function grouped<K>(edges: readonly Edge[], keyOf: (edge: Edge) => K): Map<K, Edge[]> {
  const groups = new Map<K, Edge[]>();
  for (const edge of edges) {
    const group = groups.get(keyOf(edge));
    if (group === undefined) groups.set(keyOf(edge), [edge]);
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
  { chosen, ...rest }: Choice,
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
  return { nodes, edges: edges.filter(({ key }) => !leftOut.has(key)), ...rest };
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
