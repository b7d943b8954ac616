import type { NugetVersion } from "../versions/version.js";
import type { VersionRange } from "../versions/version-range.js";
import type { DependencyEdge, DependencyGraph, DependencySource, GraphNode } from "./dependency-graph.js";
import type { ListedPackage } from "./listed-package.js";
import type { PackageMetadata } from "./package-metadata.js";
import type { Dependency, Release } from "./release.js";
import {
  byPackage,
  chooseVersions,
  highestRequired,
  type IsFixed,
  lowestForAll,
  type VersionChoice,
} from "./version-choice.js";
import { differing, sameChoice, usualRounds, WalkConvergence } from "./walk-convergence.js";

/** The edges or packages between two pauses. */
const stepsInOneGo = 50;

/** Resolves dependencies without a pause. */
export function resolveDependencies<P extends PackageMetadata>(
  packages: readonly ListedPackage<P>[],
  source: DependencySource<P>,
): DependencyGraph<P> {
  const work = dependencyResolution(packages, source);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Resolves dependencies as a restore does: listed versions win, then the nearest dependents on each path, and among the
 * dependents that count the lowest version that satisfies them all. The caller may do other work at each `yield`.
 */
export function* dependencyResolution<P extends PackageMetadata>(
  packages: readonly ListedPackage<P>[],
  source: DependencySource<P>,
): Generator<void, DependencyGraph<P>, void> {
  const direct = new Map<string, ListedPackage<P>>();
  const leftOut = new Set<string>();
  for (const entry of packages) {
    const { release, library } = entry;
    const isBroken = release === undefined ? (library?.releases.length ?? 0) > 0 : !source.isSupported(release);
    if (isBroken) leftOut.add(entry.key);
    else if (!direct.has(entry.key)) direct.set(entry.key, entry);
  }
  for (const key of direct.keys()) leftOut.delete(key);
  const roots = [...direct.values()].flatMap(({ release }) => release ?? []);
  const isFixed = (key: string) => direct.has(key) || leftOut.has(key);
  let choice: ReadonlyMap<string, Release<P>> = yield* firstGuess(roots, source, isFixed);
  const convergence = new WalkConvergence();
  for (;;) {
    const edges = yield* collectEdges(roots, choice, source, isFixed);
    const next = yield* chooseVersions(roots, edges, source, isFixed);
    yield;
    const isSettled = sameChoice(choice, next.chosen);
    if (isSettled || convergence.isOver(next.chosen, edges.length)) {
      const unsettledKeys = isSettled ? [] : differing(choice, next.chosen);
      return { ...graphOf(direct, edges, next, leftOut), unsettled: unsettledKeys, rounds: convergence.rounds };
    }
    choice = next.chosen;
  }
}

/** The choice when every dependent counts. Mostly it is the end result, and it is cheap: each round looks only at
 * packages whose dependents changed. */
function* firstGuess<P extends PackageMetadata>(
  roots: readonly Release<P>[],
  source: DependencySource<P>,
  isFixed: IsFixed,
): Generator<void, Map<string, Release<P>>, void> {
  let choice = new Map<string, Release<P>>();
  let last: ReadonlyMap<string, readonly DependencyEdge<P>[]> = new Map();
  for (let round = 1; round <= usualRounds; round += 1) {
    const edgesTo = byPackage(yield* collectEdges(roots, choice, source, isFixed));
    const next = new Map<string, Release<P>>();
    let count = 0;
    for (const [key, edges] of edgesTo) {
      if (++count % stepsInOneGo === 0) yield;
      const library = isFixed(key) ? undefined : source.library(key);
      const release = sameDependents(edges, last.get(key))
        ? choice.get(key)
        : library && (lowestForAll(source, library, edges) ?? highestRequired(source, library, edges));
      if (release !== undefined) next.set(key, release);
    }
    if (sameChoice(choice, next)) break;
    choice = next;
    last = edgesTo;
  }
  return choice;
}

function sameDependents(edges: readonly DependencyEdge[], before: readonly DependencyEdge[] | undefined): boolean {
  return before?.length === edges.length && edges.every(({ from }, index) => from === before[index]?.from);
}

/** A release that was reached, with the one that depends on it. */
interface Step<P extends PackageMetadata> {
  readonly release: Release<P>;
  readonly above: Step<P> | undefined;
}

/** An edge that was found. Its path is computed only when a sentence names it. */
class FoundEdge<P extends PackageMetadata> implements DependencyEdge<P> {
  readonly packageName: string;
  readonly key: string;
  readonly range: VersionRange;
  readonly group: Dependency["group"];
  readonly from: Release<P>;
  readonly #step: Step<P>;

  constructor({ packageName, key, range, group }: Dependency, step: Step<P>) {
    this.packageName = packageName;
    this.key = key;
    this.range = range;
    this.group = group;
    this.from = step.release;
    this.#step = step;
  }

  get path(): readonly Release<P>[] {
    const path: Release<P>[] = [];
    for (let step: Step<P> | undefined = this.#step; step !== undefined; step = step.above) path.push(step.release);
    return path.reverse();
  }
}

/** All dependencies that the roots and the chosen releases below them have, breadth first. */
function* collectEdges<P extends PackageMetadata>(
  roots: readonly Release<P>[],
  choice: ReadonlyMap<string, Release<P>>,
  source: DependencySource<P>,
  isFixed: IsFixed,
): Generator<void, DependencyEdge<P>[], void> {
  const edges: DependencyEdge<P>[] = [];
  const visitedKeys = new Set<string>();
  const queue: Step<P>[] = roots.map((release) => ({ release, above: undefined }));
  for (const step of queue)
    for (const dependency of source.dependenciesOf(step.release)) {
      const { key, range } = dependency;
      if (edges.push(new FoundEdge(dependency, step)) % stepsInOneGo === 0) yield;
      if (visitedKeys.has(key) || isFixed(key)) continue;
      visitedKeys.add(key);
      const library = source.library(key);
      const next = choice.get(key) ?? (library && source.lowestIn(library, range));
      if (next !== undefined) queue.push({ release: next, above: step });
    }
  return edges;
}

/** A transitive dependency. Its path is computed only when a sentence names it. */
class TransitiveNode<P extends PackageMetadata> implements GraphNode<P> {
  readonly key: string;
  readonly packageName: string;
  readonly direct = false;
  readonly version: NugetVersion;
  readonly release: Release<P>;
  readonly #edge: DependencyEdge<P>;

  constructor(edge: DependencyEdge<P>, release: Release<P>) {
    this.key = edge.key;
    this.packageName = release.library.packageName;
    this.version = release.version;
    this.release = release;
    this.#edge = edge;
  }

  get path(): readonly Release<P>[] {
    return this.#edge.path;
  }
}

function graphOf<P extends PackageMetadata>(
  direct: ReadonlyMap<string, ListedPackage<P>>,
  edges: readonly DependencyEdge<P>[],
  { chosen, ...rest }: VersionChoice<P>,
  leftOut: ReadonlySet<string>,
): Omit<DependencyGraph<P>, "unsettled" | "rounds"> {
  const nodes = new Map<string, GraphNode<P>>();
  for (const { key, packageName, version, release } of direct.values())
    nodes.set(key, { key, packageName, version, release, direct: true, path: [] });
  for (const edge of edges) {
    const release = chosen.get(edge.key);
    if (!nodes.has(edge.key) && release !== undefined) nodes.set(edge.key, new TransitiveNode(edge, release));
  }
  return { nodes, edges: edges.filter(({ key }) => !leftOut.has(key)), ...rest };
}
