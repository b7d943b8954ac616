import type { EclipsedDependency } from "@factory/nuget/dependency-graph";
import { releaseName } from "@factory/nuget/release";
import { compareVersions, formatVersion, type NugetVersion } from "@factory/nuget/version";
import { describeRange, isAbove, isBelow, satisfies, type VersionRange } from "@factory/nuget/version-range";
import type { CatalogLibrary, Edge, Node, Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { moveTo, releasesNear, smallestFirst } from "../moves/candidates.js";
import { changeVersion, type Move } from "../moves/move.js";
import type { Finding } from "./finding.js";
import { joinNames } from "./word-list.js";

/** A violation all the same: what a package was not made for is to be known before a restore. */
export const onlyWarns = "A restore takes it with warning NU1608.";

/** Dependencies that the catalog can not fill, or that the set pins above what they allow. */
export function missingRequirements(context: EvaluationContext): Finding[] {
  const { graph, input } = context;
  const unknown = input.unknownLibraries === "violation" ? graph.unknown : [];
  return [
    ...edgesToPins(context, (edge, pin) => pin.version !== undefined && isAbove(edge.range, pin.version)).map(
      ({ edge, pin }) => ({
        ...about("LibraryRequires", edge),
        detail: `${asks(edge)}, but the set lists ${nameOf(pin)}. ${onlyWarns}`,
        moves: () => [satisfying(context, edge, pin), otherDependents(context, edge)],
      }),
    ),
    ...graph.unsatisfied.map((edge) => ({
      ...about("LibraryRequires", edge),
      detail: `${asks(edge)}. The catalog has ${joinNames(registered(context, edge))}.`,
      moves: () => [[], otherDependents(context, edge)],
    })),
    ...unknown.map((edge) => ({
      ...about("LibraryRequires", edge),
      detail: `${asks(edge)}, which is not registered in this catalog.`,
      moves: () => [[], otherDependents(context, edge)],
    })),
  ];
}

/** The set pins a package lower than something in it asks (NU1605). */
export function downgraded(context: EvaluationContext): Finding[] {
  const below = edgesToPins(context, (edge, pin) => pin.version !== undefined && isBelow(edge.range, pin.version));
  return [
    ...below.map(({ edge, pin }) => ({
      ...about("LibraryDowngraded", edge),
      detail: `${asks(edge)}, but the set lists ${nameOf(pin)}.`,
      moves: () => [satisfying(context, edge, pin), otherDependents(context, edge)],
    })),
    ...eclipsed(context, isBelow).map((found) => eclipsedFinding(context, "LibraryDowngraded", found)),
  ];
}

interface EclipsedViolation extends EclipsedDependency<CatalogLibrary> {
  node: Node;
}

// what a nearer asker says counts only where what is then taken does not serve the other
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
    detail: `${asks(edge)}, but ${releaseName(by)} is nearer, so a restore takes ${nameOf(node)}.${note}`,
    moves: () => [
      satisfying(context, edge, node),
      [edge, ...(nearer ? [nearer] : [])].flatMap((one) => otherDependents(context, one)),
    ],
  };
}

/** Several ask for one package and no version of it serves them all (NU1107), or what is taken is above a bound (NU1608). */
export function versionConflicts(context: EvaluationContext): Finding[] {
  const above = eclipsed(context, isAbove).map((found) => eclipsedFinding(context, "LibraryVersionConflict", found));
  const disjoint = [...context.graph.conflicts].map(([key, edges]): Finding => {
    const packageName = context.snapshot.library(key)?.packageName ?? key;
    const sides = opposed(context, edges);
    return {
      rule: "LibraryVersionConflict",
      subject: key,
      packageName,
      detail: `${sides.map(asks).join(" and ")}. No version of ${packageName} satisfies ${sides.length === 2 ? "both" : "all of them"}.`,
      moves: () => [smallestFirst(sides.flatMap((edge) => otherDependents(context, edge)))],
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
function asks({ path, packageName, range }: Edge): string {
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

/** The asked package itself, at the lowest version that satisfies. */
function satisfying(context: EvaluationContext, { range }: Edge, pin: Node): Move[] {
  const { release, version, packageName } = pin;
  if (release === undefined) {
    // nothing is registered to choose from: the bound itself is all that is known
    const { min, minInclusive } = range;
    return version && min && minInclusive
      ? [changeVersion(packageName, [formatVersion(version), formatVersion(min)])]
      : [];
  }
  const test = (one: Release) => satisfies(range, one.version);
  const near = releasesNear(context, release.library, { from: release.version, test });
  return moveTo(
    pin,
    near.sort((a, b) => compareVersions(a.version, b.version)),
  );
}

/** Other versions of the listed package through which the demand came. */
function otherDependents(context: EvaluationContext, { path }: Edge): Move[] {
  const [head] = path;
  if (head === undefined) return [];
  return moveTo({ direct: true, release: head }, releasesNear(context, head.library, { from: head.version }));
}

/** The first two demands that exclude each other, or all of them where only the sum does. */
function opposed({ snapshot }: EvaluationContext, edges: readonly Edge[]): readonly Edge[] {
  for (const [index, one] of edges.entries())
    for (const other of edges.slice(index + 1)) {
      const both = (release: Release) =>
        satisfies(one.range, release.version) && satisfies(other.range, release.version);
      const usable = snapshot.library(one.key)?.releases.filter(({ status }) => status !== "Retired") ?? [];
      if (!usable.some(both)) return [one, other];
    }
  return edges;
}
