import { findCycles } from "@factory/nuget/dependency-cycles";
import { releaseName } from "@factory/nuget/release";
import { compareText } from "@factory/nuget/text-order";
import type { Release } from "../evaluation/catalog-library.js";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { findNearReleases, movesToReleases, sortBySmallestJump } from "../moves/candidates.js";
import type { Move } from "../moves/move.js";
import type { Finding } from "./finding.js";

/** Releases that depend on themselves through others (NU1108); one finding for each cycle. */
export function findDependencyCycles(context: EvaluationContext): Finding[] {
  return findCycles(context.graph).map((cycle) => {
    const members = cycle.flatMap((key) => context.graph.nodes.get(key)?.release ?? []);
    const subject = cycle.toSorted(compareText).join("|");
    const [first] = members;
    return {
      rule: "LibraryDependencyCycle",
      subject,
      packageName: first?.library.packageName ?? subject,
      detail: `${[...members, ...members.slice(0, 1)].map(releaseName).join(" → ")} form a dependency cycle.`,
      moves: () => [sortBySmallestJump(members.flatMap((release) => withoutTheEdge(context, release, cycle)))],
    };
  });
}

function withoutTheEdge(context: EvaluationContext, release: Release, cycle: readonly string[]): Move[] {
  const { library, version } = release;
  const next = cycle[(cycle.indexOf(library.key) + 1) % cycle.length];
  const { snapshot, project } = context;
  const test = (other: Release) => !snapshot.dependenciesOf(other, project).some(({ key }) => key === next);
  const direct = context.graph.nodes.get(library.key)?.direct ?? false;
  return movesToReleases({ direct, release }, findNearReleases(context, library, { from: version, test }));
}
