import { memberName } from "@factory/nuget/graph-members";
import type { NugetVersion } from "@factory/nuget/version";
import { covers, describeRange } from "@factory/nuget/version-range";
import type { PausableWork } from "@factory/runtime/threads/long-work";
import { conflictsOf, type DeclaredConflict, type Member, type Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { findAlternatives, findNearReleases, movesToReleases, sortBySmallestJump } from "../moves/candidates.js";
import type { Move } from "../moves/move.js";
import type { Finding } from "./finding.js";

type DeclaringMember = Member & { release: Release };

interface Conflict {
  by: DeclaringMember;
  conflict: DeclaredConflict;
  with: Member;
}

/** The conflicts between two pauses. */
const conflictsInOneGo = 250;

/** Finds declared conflicts: one finding for each package pair, whichever package declares the conflict. */
export function* findDeclaredConflicts(context: EvaluationContext): PausableWork<Finding[]> {
  const pairs = new Map<string, Conflict[]>();
  let count = 0;
  for (const conflictPair of findConflicts(context.members)) {
    const pair =
      conflictPair.by.key < conflictPair.with.key
        ? `${conflictPair.by.key}|${conflictPair.with.key}`
        : `${conflictPair.with.key}|${conflictPair.by.key}`;
    const conflicts = pairs.get(pair);
    if (conflicts) conflicts.push(conflictPair);
    else pairs.set(pair, [conflictPair]);
    if (++count % conflictsInOneGo === 0) yield;
  }
  const findings: Finding[] = [];
  for (const [subject, conflicts] of pairs) {
    findings.push({
      rule: "LibraryConflictsWith",
      subject,
      packageName: conflicts.map(({ by }) => by.packageName).sort()[0] ?? "",
      detail: detailOf(conflicts),
      moves: () => movesFor(context, conflicts),
    });
    if (findings.length % conflictsInOneGo === 0) yield;
  }
  return findings;
}

function* findConflicts(members: readonly Member[]): Generator<Conflict, void, void> {
  const declaring = members.filter(
    (member): member is DeclaringMember => member.release !== undefined && conflictsOf(member.release).length > 0,
  );
  if (declaring.length === 0) return;
  const byKey = new Map<string, Member[]>();
  for (const member of members) byKey.set(member.key, [...(byKey.get(member.key) ?? []), member]);
  for (const by of declaring)
    for (const conflict of conflictsOf(by.release))
      for (const other of byKey.get(conflict.key) ?? [])
        if (by.key !== other.key && appliesTo(conflict, other.version)) yield { by, conflict, with: other };
}

function appliesTo({ range }: DeclaredConflict, version: NugetVersion | undefined): boolean {
  return range === undefined || (version !== undefined && covers(range, version));
}

function detailOf(conflicts: readonly Conflict[]): string {
  const declarations = conflicts.map(
    ({ by, conflict, with: other }) =>
      `${memberName(by)} conflicts with ${other.packageName} ${conflict.range ? describeRange(conflict.range) : "in any version"}`,
  );
  const [first] = conflicts;
  return `${[...new Set(declarations)].join(", and ")}. The set has ${first ? memberName(first.with) : ""}.`;
}

/** Moves for the package that the conflict names, then for the package that declares it, then replacements. */
function movesFor(context: EvaluationContext, conflicts: readonly Conflict[]): Move[][] {
  const against = conflicts.flatMap(({ conflict, with: other }) =>
    otherVersions(context, other, (to) => !appliesTo(conflict, to.version)),
  );
  const declaring = conflicts.flatMap(({ by, with: other }) => {
    const names = (declaredConflict: DeclaredConflict) =>
      declaredConflict.key === other.key && appliesTo(declaredConflict, other.version);
    return otherVersions(context, by, (to) => !conflictsOf(to).some(names));
  });
  const instead = conflicts.flatMap(({ by, with: other }) =>
    [other, by].flatMap((side) => alternativesTo(context, side)),
  );
  return [sortBySmallestJump(against), sortBySmallestJump(declaring), instead];
}

function otherVersions(context: EvaluationContext, member: Member, test: (release: Release) => boolean): Move[] {
  const { release } = member;
  if (release === undefined) return [];
  return movesToReleases(member, findNearReleases(context, release.library, { from: release.version, test }));
}

function alternativesTo(context: EvaluationContext, { release, direct }: Member): Move[] {
  return release === undefined || !direct ? [] : findAlternatives(context, release.library, release.text);
}
