import { type Release, releaseName } from "@factory/nuget/package-snapshot";
import type { Edge, Node, Overruled } from "@factory/nuget/restore-walk";
import { compareVersions, formatVersion, type NugetVersion } from "@factory/nuget/version";
import { describeRange, isAbove, isBelow, satisfies, type VersionRange } from "@factory/nuget/version-range";
import type { Finding, Situation } from "../evaluation/evaluation-context.js";
import type { Move } from "../evaluation/evaluation-input.js";
import { moveTo, releasesNear, smallestFirst } from "../moves/candidates.js";
import { changeVersion } from "../moves/move.js";
import { sentence } from "./listed-versions.js";

/** A violation all the same: what a package was not made for is to be known before a restore. */
export const onlyWarned = "A restore takes it and only warns (NU1608).";

/** Dependencies that the catalog can not fill, or that the set pins above what they allow. */
export function missingRequirements(situation: Situation): Finding[] {
  const { graph, input } = situation;
  const unknown = input.unknownLibraries === "violation" ? graph.unknown : [];
  return [
    ...edgesToPins(situation, (edge, pin) => pin.version !== undefined && isAbove(edge.range, pin.version)).map(
      ({ edge, pin }) => ({
        ...about("LibraryRequires", edge),
        detail: `${asks(edge)}, but the set lists ${nameOf(pin)}. ${onlyWarned}`,
        moves: () => [satisfying(situation, edge, pin), otherAskers(situation, edge)],
      }),
    ),
    ...graph.unsatisfied.map((edge) => ({
      ...about("LibraryRequires", edge),
      detail: `${asks(edge)}; the catalog has ${sentence(registered(situation, edge))}.`,
      moves: () => [[], otherAskers(situation, edge)],
    })),
    ...unknown.map((edge) => ({
      ...about("LibraryRequires", edge),
      detail: `${asks(edge)}, which is not registered in this catalog.`,
      moves: () => [[], otherAskers(situation, edge)],
    })),
  ];
}

/** The set pins a package lower than something in it asks (NU1605). */
export function downgraded(situation: Situation): Finding[] {
  const below = edgesToPins(situation, (edge, pin) => pin.version !== undefined && isBelow(edge.range, pin.version));
  return [
    ...below.map(({ edge, pin }) => ({
      ...about("LibraryDowngraded", edge),
      detail: `${asks(edge)}, but the set lists ${nameOf(pin)}.`,
      moves: () => [satisfying(situation, edge, pin), otherAskers(situation, edge)],
    })),
    ...overruled(situation, isBelow).map((found) => overruledFinding(situation, "LibraryDowngraded", found)),
  ];
}

interface OverruledDemand extends Overruled {
  node: Node;
}

// what a nearer asker says counts only where what is then taken does not serve the other
function overruled(
  { graph }: Situation,
  misses: (range: VersionRange, version: NugetVersion) => boolean,
): OverruledDemand[] {
  return graph.overruled.flatMap(({ edge, by }) => {
    const node = graph.nodes.get(edge.key);
    return node?.version !== undefined && misses(edge.range, node.version) ? [{ edge, by, node }] : [];
  });
}

function overruledFinding(
  situation: Situation,
  rule: "LibraryDowngraded" | "LibraryVersionConflict",
  { edge, by, node }: OverruledDemand,
): Finding {
  const nearer = situation.graph.edges.find(({ from, key }) => from === by && key === edge.key);
  const note = rule === "LibraryVersionConflict" ? ` ${onlyWarned}` : "";
  return {
    ...about(rule, edge),
    detail: `${asks(edge)}, but ${releaseName(by)} is nearer and a restore takes ${nameOf(node)} for it.${note}`,
    moves: () => [
      satisfying(situation, edge, node),
      [edge, ...(nearer ? [nearer] : [])].flatMap((one) => otherAskers(situation, one)),
    ],
  };
}

/** Several ask for one package and no version of it serves them all (NU1107), or what is taken is above a bound (NU1608). */
export function versionConflicts(situation: Situation): Finding[] {
  const above = overruled(situation, isAbove).map((found) =>
    overruledFinding(situation, "LibraryVersionConflict", found),
  );
  const disjoint = [...situation.graph.conflicts].map(([key, edges]): Finding => {
    const packageName = situation.snapshot.library(key)?.packageName ?? key;
    const sides = opposed(situation, edges);
    return {
      rule: "LibraryVersionConflict",
      subject: key,
      packageName,
      detail: `${sides.map(asks).join(" and ")}; no version of ${packageName} serves ${sides.length === 2 ? "both" : "them all"}.`,
      moves: () => [smallestFirst(sides.flatMap((edge) => otherAskers(situation, edge)))],
    };
  });
  return [...disjoint, ...above];
}

interface Pinned {
  edge: Edge;
  pin: Node;
}

function edgesToPins({ graph }: Situation, test: (edge: Edge, pin: Node) => boolean): Pinned[] {
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

function registered({ snapshot }: Situation, { key }: Edge): string[] {
  return (snapshot.library(key)?.releases ?? []).map(({ text, status }) =>
    status === "Retired" ? `${text} (retired)` : text,
  );
}

/** The asked package itself, at the lowest version that satisfies. */
function satisfying(situation: Situation, { range }: Edge, pin: Node): Move[] {
  const { release, version, packageName } = pin;
  if (release === undefined) {
    // nothing is registered to choose from: the bound itself is all that is known
    const { min, minInclusive } = range;
    return version && min && minInclusive
      ? [changeVersion(packageName, [formatVersion(version), formatVersion(min)])]
      : [];
  }
  const test = (one: Release) => satisfies(range, one.version);
  const near = releasesNear(situation, release.library, { from: release.version, test });
  return moveTo(
    pin,
    near.sort((a, b) => compareVersions(a.version, b.version)),
  );
}

/** Other versions of the listed package through which the demand came. */
function otherAskers(situation: Situation, { path }: Edge): Move[] {
  const [head] = path;
  if (head === undefined) return [];
  return moveTo({ direct: true, release: head }, releasesNear(situation, head.library, { from: head.version }));
}

/** The first two demands that exclude each other, or all of them where only the sum does. */
function opposed({ snapshot }: Situation, edges: readonly Edge[]): readonly Edge[] {
  for (const [index, one] of edges.entries())
    for (const other of edges.slice(index + 1)) {
      const both = (release: Release) =>
        satisfies(one.range, release.version) && satisfies(other.range, release.version);
      const usable = snapshot.library(one.key)?.releases.filter(({ status }) => status !== "Retired") ?? [];
      if (!usable.some(both)) return [one, other];
    }
  return edges;
}
