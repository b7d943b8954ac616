import { memberName } from "@factory/nuget/graph-members";
import type { NugetVersion } from "@factory/nuget/version";
import { covers, describeRange } from "@factory/nuget/version-range";
import { conflictsOf, type DeclaredConflict, type Member, type Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { alternatives, moveTo, releasesNear, smallestFirst } from "../moves/candidates.js";
import type { Move } from "../moves/move.js";
import type { Finding } from "./finding.js";

type Declaring = Member & { release: Release };

interface Clash {
  by: Declaring;
  conflict: DeclaredConflict;
  with: Member;
}

/** Declared conflicts; one finding per pair of packages, whoever of them declares it. */
export function conflicting(context: EvaluationContext): Finding[] {
  const pairs = new Map<string, Clash[]>();
  for (const clash of clashes(context.members)) {
    const pair = [clash.by.key, clash.with.key].sort().join("|");
    pairs.set(pair, [...(pairs.get(pair) ?? []), clash]);
  }
  return [...pairs].map(([subject, both]) => ({
    rule: "LibraryConflictsWith",
    subject,
    packageName: [...both].map(({ by }) => by.packageName).sort()[0] ?? "",
    detail: detailOf(both),
    moves: () => movesFor(context, both),
  }));
}

function clashes(members: readonly Member[]): Clash[] {
  const declaring = members.filter(
    (member): member is Declaring => member.release !== undefined && conflictsOf(member.release).length > 0,
  );
  if (declaring.length === 0) return [];
  const byKey = new Map<string, Member[]>();
  for (const member of members) byKey.set(member.key, [...(byKey.get(member.key) ?? []), member]);
  const found: Clash[] = [];
  for (const by of declaring)
    for (const conflict of conflictsOf(by.release))
      for (const other of byKey.get(conflict.key) ?? [])
        if (by.key !== other.key && isMeant(conflict, other.version)) found.push({ by, conflict, with: other });
  return found;
}

function isMeant({ range }: DeclaredConflict, version: NugetVersion | undefined): boolean {
  return range === undefined || (version !== undefined && covers(range, version));
}

function detailOf(both: readonly Clash[]): string {
  const declared = both.map(
    ({ by, conflict, with: other }) =>
      `${memberName(by)} conflicts with ${other.packageName} ${conflict.range ? describeRange(conflict.range) : "in any version"}`,
  );
  const [first] = both;
  return `${[...new Set(declared)].join(", and ")}. The set has ${first ? memberName(first.with) : ""}.`;
}

/** Another version of the side that is declared against, then of the declaring side, then something else. */
function movesFor(context: EvaluationContext, both: readonly Clash[]): Move[][] {
  const against = both.flatMap(({ conflict, with: other }) =>
    otherVersions(context, other, (to) => !isMeant(conflict, to.version)),
  );
  const declaring = both.flatMap(({ by, with: other }) => {
    const names = (one: DeclaredConflict) => one.key === other.key && isMeant(one, other.version);
    return otherVersions(context, by, (to) => !conflictsOf(to).some(names));
  });
  const instead = both.flatMap(({ by, with: other }) => [other, by].flatMap((side) => alternativesTo(context, side)));
  return [smallestFirst(against), smallestFirst(declaring), instead];
}

function otherVersions(context: EvaluationContext, member: Member, test: (release: Release) => boolean): Move[] {
  const { release } = member;
  if (release === undefined) return [];
  return moveTo(member, releasesNear(context, release.library, { from: release.version, test }));
}

function alternativesTo(context: EvaluationContext, { release, direct }: Member): Move[] {
  return release === undefined || !direct ? [] : alternatives(context, release.library, release.text);
}
