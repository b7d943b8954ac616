import { compareVersions } from "../versions/version.js";
import type { DependencyEdge, DependencySource, EclipsedDependency } from "./dependency-graph.js";
import { NearestWins } from "./nearest-wins.js";
import type { PackageMetadata } from "./package-metadata.js";
import type { KnownLibrary, Release } from "./release.js";

/** The versions that one round chose, and the edges that it could not serve. */
export interface VersionChoice<P extends PackageMetadata> {
  chosen: Map<string, Release<P>>;
  conflicts: Map<string, readonly DependencyEdge<P>[]>;
  unsatisfied: DependencyEdge<P>[];
  unknown: DependencyEdge<P>[];
  eclipsed: EclipsedDependency<P>[];
}

/** Packages whose version is not to be chosen, because the project lists them. */
export type IsFixed = (key: string) => boolean;

/** The packages between two pauses. */
const packagesInOneGo = 50;

/** Chooses a version for every package that an edge leads to and that is not fixed. */
export function* chooseVersions<P extends PackageMetadata>(
  roots: readonly Release<P>[],
  edges: readonly DependencyEdge<P>[],
  source: DependencySource<P>,
  isFixed: IsFixed,
): Generator<void, VersionChoice<P>, void> {
  const choice: VersionChoice<P> = {
    chosen: new Map(),
    conflicts: new Map(),
    unsatisfied: [],
    unknown: [],
    eclipsed: [],
  };
  const edgesTo = byPackage(edges);
  const nearestWins = new NearestWins(roots, edgesTo, source);
  let count = 0;
  for (const [key, edgesToIt] of edgesTo) {
    if (++count % packagesInOneGo === 0) yield;
    if (isFixed(key)) continue;
    const library = source.library(key);
    if (library === undefined || library.releases.length === 0) choice.unknown.push(...edgesToIt);
    else chooseVersion({ library, edges: edgesToIt, source, nearestWins }, choice);
  }
  return choice;
}

interface Question<P extends PackageMetadata> {
  readonly library: KnownLibrary<P>;
  readonly edges: readonly DependencyEdge<P>[];
  readonly source: DependencySource<P>;
  readonly nearestWins: NearestWins<P>;
}

/** Chooses one package's version. The nearest-wins rule is asked only about the edges that decide: those that no
 * version satisfies, and those that ask for the highest version. */
function chooseVersion<P extends PackageMetadata>(
  { library, edges, source, nearestWins }: Question<P>,
  choice: VersionChoice<P>,
): void {
  const lowest = (edge: DependencyEdge<P>) => source.lowestIn(library, edge.range);
  const counts = (edge: DependencyEdge<P>) => {
    const by = nearestWins.nearer(edge);
    if (by !== undefined) choice.eclipsed.push({ edge, by });
    return by === undefined;
  };
  const commonRelease = isOneRange(edges) ? edges[0] && lowest(edges[0]) : undefined;
  if (commonRelease !== undefined) {
    choice.chosen.set(library.key, commonRelease);
    return;
  }
  const [able, unable] = split(edges, (edge) => lowest(edge) !== undefined);
  choice.unsatisfied.push(...unable.filter(counts));
  let counting = able;
  let isSettled = false;
  while (!isSettled && counting.length > 0) {
    const release = lowestForAll(source, library, counting);
    const deciding = release === undefined ? counting : counting.filter((edge) => lowest(edge) === release);
    const candidates = deciding.length === 0 ? counting : deciding;
    // when all edges have the same range, it makes no difference which edges count
    const winners = isOneRange(counting) ? candidates : candidates.filter(counts);
    isSettled = release === undefined ? winners.length === counting.length : winners.length > 0;
    const keptEdges = new Set(winners);
    const losers = new Set(candidates.filter((edge) => !keptEdges.has(edge)));
    if (release !== undefined && isSettled) choice.chosen.set(library.key, release);
    counting = counting.filter((edge) => !losers.has(edge));
  }
  if (counting.length === 0 || choice.chosen.has(library.key)) return;
  choice.conflicts.set(library.key, counting);
  const release = highestRequired(source, library, counting);
  if (release !== undefined) choice.chosen.set(library.key, release);
}

/** The lowest release that satisfies all edges' ranges. */
export function lowestForAll<P extends PackageMetadata>(
  source: DependencySource<P>,
  library: KnownLibrary<P>,
  edges: readonly DependencyEdge<P>[],
): Release<P> | undefined {
  return source.lowest(
    library,
    edges.map(({ range }) => range),
  );
}

/** The release for the most demanding edge: after a conflict the resolution goes on with it. */
export function highestRequired<P extends PackageMetadata>(
  source: DependencySource<P>,
  library: KnownLibrary<P>,
  edges: readonly DependencyEdge<P>[],
): Release<P> | undefined {
  const releases = edges.flatMap(({ range }) => source.lowest(library, [range]) ?? []);
  return releases.sort((a, b) => compareVersions(b.version, a.version))[0];
}

/** The edges by the package that they lead to. */
export function byPackage<P extends PackageMetadata>(
  edges: readonly DependencyEdge<P>[],
): Map<string, DependencyEdge<P>[]> {
  const groups = new Map<string, DependencyEdge<P>[]>();
  for (const edge of edges) {
    const group = groups.get(edge.key);
    if (group === undefined) groups.set(edge.key, [edge]);
    else group.push(edge);
  }
  return groups;
}

function isOneRange(edges: readonly DependencyEdge[]): boolean {
  return edges.every(({ range }) => range === edges[0]?.range);
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [yes: T[], no: T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
