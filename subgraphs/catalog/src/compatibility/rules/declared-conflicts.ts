import { type Member, membersOf, nameOf } from "@factory/nuget/graph-members";
import type { DeclaredConflict, Release } from "@factory/nuget/package-snapshot";
import type { NugetVersion } from "@factory/nuget/version";
import { covers, describeRange } from "@factory/nuget/version-range";
import type { Finding, Situation } from "../evaluation/evaluation-context.js";
import type { Move } from "../evaluation/evaluation-input.js";
import { alternatives, moveTo, releasesNear, smallestFirst } from "../moves/candidates.js";

type Declaring = Member & { release: Release };

interface Clash {
  by: Declaring;
  conflict: DeclaredConflict;
  with: Member;
}

/** Declared conflicts; one finding per pair of packages, whoever of them declares it. */
export function conflicting(situation: Situation): Finding[] {
  const pairs = new Map<string, Clash[]>();
  for (const clash of clashes(membersOf(situation))) {
    const pair = [clash.by.key, clash.with.key].sort().join("|");
    pairs.set(pair, [...(pairs.get(pair) ?? []), clash]);
  }
  return [...pairs].map(([subject, both]) => ({
    rule: "LibraryConflictsWith",
    subject,
    packageName: [...both].map(({ by }) => by.packageName).sort()[0] ?? "",
    detail: detailOf(both),
    moves: () => movesFor(situation, both),
  }));
}

function clashes(members: readonly Member[]): Clash[] {
  const declaring = members.filter((member): member is Declaring => (member.release?.conflicts.length ?? 0) > 0);
  if (declaring.length === 0) return [];
  const byKey = new Map<string, Member[]>();
  for (const member of members) byKey.set(member.key, [...(byKey.get(member.key) ?? []), member]);
  const found: Clash[] = [];
  for (const by of declaring)
    for (const conflict of by.release.conflicts)
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
      `${nameOf(by)} conflicts with ${other.packageName} ${conflict.range ? describeRange(conflict.range) : "in any version"}`,
  );
  const [first] = both;
  return `${[...new Set(declared)].join(", and ")}; the set has ${first ? nameOf(first.with) : ""}.`;
}

/** Another version of the side that is declared against, then of the declaring side, then something else. */
function movesFor(situation: Situation, both: readonly Clash[]): Move[][] {
  const against = both.flatMap(({ conflict, with: other }) =>
    otherVersions(situation, other, (to) => !isMeant(conflict, to.version)),
  );
  const declaring = both.flatMap(({ by, with: other }) => {
    const names = (one: DeclaredConflict) => one.key === other.key && isMeant(one, other.version);
    return otherVersions(situation, by, (to) => !to.conflicts.some(names));
  });
  const instead = both.flatMap(({ by, with: other }) => [other, by].flatMap((side) => alternativesTo(situation, side)));
  return [smallestFirst(against), smallestFirst(declaring), instead];
}

function otherVersions(situation: Situation, member: Member, test: (release: Release) => boolean): Move[] {
  const { release } = member;
  if (release === undefined) return [];
  return moveTo(member, releasesNear(situation, release.library, { from: release.version, test }));
}

function alternativesTo(situation: Situation, { release, direct }: Member): Move[] {
  return release === undefined || !direct ? [] : alternatives(situation, release.library, release.text);
}
