import type { EclipsedDependency } from "@factory/nuget/dependency-graph";
import { releaseName } from "@factory/nuget/release";
import { compareVersions, formatVersion, type NugetVersion } from "@factory/nuget/version";
import { describeRange, isAbove, isBelow, satisfies, type VersionRange } from "@factory/nuget/version-range";
import type { CatalogLibrary, Edge, Node, Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { findNearReleases, movesToReleases, sortBySmallestJump } from "../moves/candidates.js";
import { changeVersion, type Move } from "../moves/move.js";
import type { Finding } from "./finding.js";
import { joinNames } from "./word-list.js";

/** NuGet only warns, but it is a violation here: callers should see an unsupported version before a restore. */
export const onlyWarns = "A restore takes it with warning NU1608.";

/** Finds dependencies that the catalog cannot satisfy, or whose range lies below the listed version. */
export function findMissingDependencies(context: EvaluationContext): Finding[] {
  const { graph, input } = context;
  const unknown = input.unknownLibraries === "violation" ? graph.unknown : [];
  return [
    ...edgesToPins(context, (edge, pin) => pin.version !== undefined && isAbove(edge.range, pin.version)).map(
      ({ edge, pin }) => ({
        ...about("LibraryRequires", edge),
        detail: `${describeRequirement(edge)}, but the set lists ${nameOf(pin)}. ${onlyWarns}`,
        moves: () => [movesToSatisfying(context, edge, pin), movesOfDependents(context, edge)],
      }),
    ),
    ...graph.unsatisfied.map((edge) => ({
      ...about("LibraryRequires", edge),
      detail: `${describeRequirement(edge)}. The catalog has ${joinNames(registered(context, edge))}.`,
      moves: () => [[], movesOfDependents(context, edge)],
    })),
    ...unknown.map((edge) => ({
      ...about("LibraryRequires", edge),
      detail: `${describeRequirement(edge)}, which is not registered in this catalog.`,
      moves: () => [[], movesOfDependents(context, edge)],
    })),
  ];
}

/** Finds listed versions that are lower than a dependency requires (NU1605). */
export function findDowngrades(context: EvaluationContext): Finding[] {
  const below = edgesToPins(context, (edge, pin) => pin.version !== undefined && isBelow(edge.range, pin.version));
  return [
    ...below.map(({ edge, pin }) => ({
      ...about("LibraryDowngraded", edge),
      detail: `${describeRequirement(edge)}, but the set lists ${nameOf(pin)}.`,
      moves: () => [movesToSatisfying(context, edge, pin), movesOfDependents(context, edge)],
    })),
    ...eclipsed(context, isBelow).map((eclipsedEdge) => eclipsedFinding(context, "LibraryDowngraded", eclipsedEdge)),
  ];
}

interface EclipsedViolation extends EclipsedDependency<CatalogLibrary> {
  node: Node;
}

// an eclipsed dependency is reported only where the version that is taken does not satisfy it
function eclipsed(
  { graph }: EvaluationContext,
  misses: (range: VersionRange, version: NugetVersion) => boolean,
): EclipsedViolation[] {
  return graph.eclipsed.flatMap(({ edge, by }) => {
    const node = graph.nodes.get(edge.key);
    return node?.version !== undefined && misses(edge.range, node.version) ? [{ edge, by, node }] : [];
  });
}

function eclipsedFinding(
  context: EvaluationContext,
  rule: "LibraryDowngraded" | "LibraryVersionConflict",
  { edge, by, node }: EclipsedViolation,
): Finding {
  const nearer = context.graph.edges.find(({ from, key }) => from === by && key === edge.key);
  const note = rule === "LibraryVersionConflict" ? ` ${onlyWarns}` : "";
  return {
    ...about(rule, edge),
    detail: `${describeRequirement(edge)}, but ${releaseName(by)} is nearer, so a restore takes ${nameOf(node)}.${note}`,
    moves: () => [
      movesToSatisfying(context, edge, node),
      [edge, ...(nearer ? [nearer] : [])].flatMap((edgeToMove) => movesOfDependents(context, edgeToMove)),
    ],
  };
}

/** Finds packages without a version that satisfies all dependents (NU1107), and versions above a range (NU1608). */
export function findVersionConflicts(context: EvaluationContext): Finding[] {
  const above = eclipsed(context, isAbove).map((eclipsedEdge) =>
    eclipsedFinding(context, "LibraryVersionConflict", eclipsedEdge),
  );
  const disjoint = [...context.graph.conflicts].map(([key, edges]): Finding => {
    const packageName = context.snapshot.library(key)?.packageName ?? key;
    const sides = opposed(context, edges);
    return {
      rule: "LibraryVersionConflict",
      subject: key,
      packageName,
      detail: `${sides.map(describeRequirement).join(" and ")}. No version of ${packageName} satisfies ${sides.length === 2 ? "both" : "all of them"}.`,
      moves: () => [sortBySmallestJump(sides.flatMap((edge) => movesOfDependents(context, edge)))],
    };
  });
  return [...disjoint, ...above];
}

interface Pinned {
  edge: Edge;
  pin: Node;
}

function edgesToPins({ graph }: EvaluationContext, test: (edge: Edge, pin: Node) => boolean): Pinned[] {
  return graph.edges.flatMap((edge) => {
    const pin = graph.nodes.get(edge.key);
    return pin?.direct && edge.from.library.key !== edge.key && test(edge, pin) ? [{ edge, pin }] : [];
  });
}

function about(
  rule: "LibraryRequires" | "LibraryDowngraded" | "LibraryVersionConflict",
  { from, key }: Edge,
): Pick<Finding, "rule" | "subject" | "packageName"> {
  return { rule, subject: `${from.library.key}|${key}`, packageName: from.library.packageName };
}

/** "Shop 1.0.0 → Orders.Client 2.1.0 requires Messaging ≥ 3.0.0" */
function describeRequirement({ path, packageName, range }: Edge): string {
  return `${path.map(releaseName).join(" → ")} requires ${packageName} ${describeRange(range)}`;
}

function nameOf({ packageName, release, version }: Node): string {
  if (release !== undefined) return releaseName(release);
  return version === undefined ? packageName : `${packageName} ${formatVersion(version)}`;
}

function registered({ snapshot }: EvaluationContext, { key }: Edge): string[] {
  return (snapshot.library(key)?.releases ?? []).map(({ text, status }) =>
    status === "Retired" ? `${text} (retired)` : text,
  );
}

/** Moves for the required package to versions that satisfy the range, the lowest first. */
function movesToSatisfying(context: EvaluationContext, { range }: Edge, pin: Node): Move[] {
  const { release, version, packageName } = pin;
  if (release === undefined) {
    // the package is not registered, so the lower bound of the range is the only known version
    const { min, minInclusive } = range;
    return version && min && minInclusive
      ? [changeVersion(packageName, [formatVersion(version), formatVersion(min)])]
      : [];
  }
  const test = (candidate: Release) => satisfies(range, candidate.version);
  const near = findNearReleases(context, release.library, { from: release.version, test });
  return movesToReleases(
    pin,
    near.sort((a, b) => compareVersions(a.version, b.version)),
  );
}

/** Moves that give other versions to the listed package that brings the dependency in. */
function movesOfDependents(context: EvaluationContext, { path }: Edge): Move[] {
  const [head] = path;
  if (head === undefined) return [];
  return movesToReleases(
    { direct: true, release: head },
    findNearReleases(context, head.library, { from: head.version }),
  );
}

/** The first two edges that exclude each other, or all edges where no two do. */
function opposed({ snapshot }: EvaluationContext, edges: readonly Edge[]): readonly Edge[] {
  for (const [index, edge] of edges.entries())
    for (const other of edges.slice(index + 1)) {
      const both = (release: Release) =>
        satisfies(edge.range, release.version) && satisfies(other.range, release.version);
      const usable = snapshot.library(edge.key)?.releases.filter(({ status }) => status !== "Retired") ?? [];
      if (!usable.some(both)) return [edge, other];
    }
  return edges;
}
