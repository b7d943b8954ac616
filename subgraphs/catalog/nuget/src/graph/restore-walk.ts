import { compareVersions, type NugetVersion } from "../versions/version.js";
import type { VersionRange } from "../versions/version-range.js";
import type { Entry } from "./listed-package.js";
import { Nearness } from "./nearest-wins.js";
import type { Dependency, KnownLibrary, Release, Snapshot } from "./package-snapshot.js";
import { differing, Pace, sameChoice, usualRounds } from "./walk-convergence.js";

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
  /** Packages whose version still changed when the walk was given up. */
  readonly unsettled: readonly string[];
  readonly rounds: number;
}

/** What a walk asks about releases in the project. */
export interface Ground {
  readonly snapshot: Snapshot;
  readonly isSupported: (release: Release) => boolean;
  readonly dependenciesOf: (release: Release) => readonly Dependency[];
}

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
  let chosen: ReadonlyMap<string, Release> = firstGuess(direct, { ...ground, isFixed });
  const pace = new Pace();
  for (;;) {
    const surroundings = { ...ground, isFixed, chosen };
    const reached = collectEdges(direct, surroundings);
    const next = choose(direct, reached, surroundings);
    const settled = sameChoice(chosen, next.chosen);
    if (settled || pace.isOver(next.chosen, reached.length)) {
      const unsettled = settled ? [] : differing(chosen, next.chosen);
      return { ...graphOf(direct, reached, next, leftOut), unsettled, rounds: pace.rounds };
    }
    chosen = next.chosen;
  }
}

interface Surroundings extends Ground {
  readonly isFixed: (key: string) => boolean;
  readonly chosen: ReadonlyMap<string, Release>;
}

/** What a walk comes to that hears every asker: mostly the end result, and cheap, as each round looks only at packages
 * whose askers changed. */
function firstGuess(direct: ReadonlyMap<string, Entry>, ground: Omit<Surroundings, "chosen">): Map<string, Release> {
  const { snapshot, isFixed } = ground;
  let chosen = new Map<string, Release>();
  let last: ReadonlyMap<string, readonly Edge[]> = new Map();
  for (let round = 1; round <= usualRounds; round += 1) {
    const asked = byPackage(collectEdges(direct, { ...ground, chosen }));
    const next = new Map<string, Release>();
    for (const [key, asking] of asked) {
      const library = isFixed(key) ? undefined : snapshot.library(key);
      const release = sameAskers(asking, last.get(key))
        ? chosen.get(key)
        : library && (lowestForAll(snapshot, library, asking) ?? highestAsked(snapshot, library, asking));
      if (release !== undefined) next.set(key, release);
    }
    if (sameChoice(chosen, next)) break;
    chosen = next;
    last = asked;
  }
  return chosen;
}

function sameAskers(asking: readonly Edge[], before: readonly Edge[] | undefined): boolean {
  return before?.length === asking.length && asking.every(({ from }, index) => from === before[index]?.from);
}

/** A release on the way down from the set, with the one that brought it in. */
interface Step {
  readonly release: Release;
  readonly above: Step | undefined;
}

/** An edge found on the way down; the way itself is spelled out only for those that a sentence names. */
class FoundEdge implements Edge {
  readonly packageName: string;
  readonly key: string;
  readonly range: VersionRange;
  readonly group: Dependency["group"];
  readonly from: Release;
  readonly #step: Step;

  constructor({ packageName, key, range, group }: Dependency, step: Step) {
    this.packageName = packageName;
    this.key = key;
    this.range = range;
    this.group = group;
    this.from = step.release;
    this.#step = step;
  }

  get path(): readonly Release[] {
    const path: Release[] = [];
    for (let step: Step | undefined = this.#step; step !== undefined; step = step.above) path.push(step.release);
    return path.reverse();
  }
}

function collectEdges(direct: ReadonlyMap<string, Entry>, surroundings: Surroundings): Edge[] {
  const { isFixed, chosen, snapshot, dependenciesOf } = surroundings;
  const edges: Edge[] = [];
  const seen = new Set<string>();
  const queue: Step[] = [];
  for (const { release } of direct.values()) if (release) queue.push({ release, above: undefined });
  for (const step of queue)
    for (const dependency of dependenciesOf(step.release)) {
      const { key, range } = dependency;
      edges.push(new FoundEdge(dependency, step));
      if (seen.has(key) || isFixed(key)) continue;
      seen.add(key);
      const library = snapshot.library(key);
      const next = chosen.get(key) ?? (library && snapshot.lowestIn(library, range));
      if (next !== undefined) queue.push({ release: next, above: step });
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
  const asked = byPackage(edges);
  const nearness = new Nearness(
    [...direct.values()].flatMap(({ release }) => release ?? []),
    asked,
    snapshot,
  );
  for (const [key, asking] of asked) {
    if (isFixed(key)) continue;
    const library = snapshot.library(key);
    if (library === undefined || library.releases.length === 0) choice.unknown.push(...asking);
    else settle({ library, asking, snapshot, nearness }, choice);
  }
  return choice;
}

interface Question {
  readonly library: KnownLibrary;
  readonly asking: readonly Edge[];
  readonly snapshot: Snapshot;
  readonly nearness: Nearness;
}

/** Finds the version for one package. Whether a demand is heard is asked only of those that decide: the ones that
 * nothing serves, and the highest. */
function settle({ library, asking, snapshot, nearness }: Question, choice: Choice): void {
  const lowest = (edge: Edge) => snapshot.lowestIn(library, edge.range);
  const isHeard = (edge: Edge) => {
    const by = nearness.nearer(edge);
    if (by !== undefined) choice.overruled.push({ edge, by });
    return by === undefined;
  };
  const same = isOneRange(asking) ? asking[0] && lowest(asking[0]) : undefined;
  if (same !== undefined) {
    choice.chosen.set(library.key, same);
    return;
  }
  const [able, unable] = split(asking, (edge) => lowest(edge) !== undefined);
  choice.unsatisfied.push(...unable.filter(isHeard));
  let counting = able;
  let isSettled = false;
  while (!isSettled && counting.length > 0) {
    const release = lowestForAll(snapshot, library, counting);
    const deciding = release === undefined ? counting : counting.filter((edge) => lowest(edge) === release);
    const tested = deciding.length === 0 ? counting : deciding;
    // one range for all: there is no nearer demand to differ from
    const heard = isOneRange(counting) ? tested : tested.filter(isHeard);
    isSettled = release === undefined ? heard.length === counting.length : heard.length > 0;
    const audible = new Set(heard);
    const overruled = new Set(tested.filter((edge) => !audible.has(edge)));
    if (release !== undefined && isSettled) choice.chosen.set(library.key, release);
    counting = counting.filter((edge) => !overruled.has(edge));
  }
  if (counting.length === 0 || choice.chosen.has(library.key)) return;
  choice.conflicts.set(library.key, counting);
  const release = highestAsked(snapshot, library, counting);
  if (release !== undefined) choice.chosen.set(library.key, release);
}

function lowestForAll(snapshot: Snapshot, library: KnownLibrary, edges: readonly Edge[]): Release | undefined {
  return snapshot.lowest(
    library,
    edges.map(({ range }) => range),
  );
}

function isOneRange(edges: readonly Edge[]): boolean {
  return edges.every(({ range }) => range === edges[0]?.range);
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

/** A package that others bring in; the way to it is spelled out only where a sentence names it. */
class ReachedNode implements Node {
  readonly key: string;
  readonly packageName: string;
  readonly direct = false;
  readonly version: NugetVersion;
  readonly release: Release;
  readonly #edge: Edge;

  constructor(edge: Edge, release: Release) {
    this.key = edge.key;
    this.packageName = release.library.packageName;
    this.version = release.version;
    this.release = release;
    this.#edge = edge;
  }

  get path(): readonly Release[] {
    return this.#edge.path;
  }
}

function graphOf(
  direct: ReadonlyMap<string, Entry>,
  edges: readonly Edge[],
  { chosen, ...rest }: Choice,
  leftOut: ReadonlySet<string>,
): Omit<Graph, "unsettled" | "rounds"> {
  const nodes = new Map<string, Node>();
  for (const { key, packageName, version, release } of direct.values())
    nodes.set(key, { key, packageName, version, release, direct: true, path: [] });
  for (const edge of edges) {
    const release = chosen.get(edge.key);
    if (!nodes.has(edge.key) && release !== undefined) nodes.set(edge.key, new ReachedNode(edge, release));
  }
  return { nodes, edges: edges.filter(({ key }) => !leftOut.has(key)), ...rest };
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
