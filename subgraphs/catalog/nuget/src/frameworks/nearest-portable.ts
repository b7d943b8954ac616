import { compareParts } from "../versions/four-parts.js";
import { type Framework, frameworkName, portableMembers, sameFramework } from "./framework.js";
import { isPortable } from "./framework-families.js";

type Nearest = (project: Framework, candidates: readonly Framework[]) => Framework | undefined;

/** Chooses among portable class libraries the one that is nearest to the project's frameworks. */
export function nearestPortables(
  project: Framework,
  candidates: readonly Framework[],
  nearest: Nearest,
): readonly Framework[] {
  const members = new Map(candidates.map((candidate) => [candidate, portableMembers(candidate, { optional: true })]));
  const everything = [...members.values()].flat();
  const voters = isPortable(project) ? portableMembers(project, { optional: true }) : [project];
  const choices = voters.flatMap((voter) => nearest(voter, everything) ?? []);
  const votes = new Map(
    [...members].map(([candidate, frameworks]) => [
      candidate,
      choices.filter((framework) => frameworks.some((member) => sameFramework(member, framework))).length,
    ]),
  );
  const most = Math.max(...votes.values());
  const [best] = candidates.filter((candidate) => votes.get(candidate) === most).toSorted(compare);
  return best === undefined ? candidates : [best];
}

// a library with fewer frameworks offers more API; then newer frameworks are preferred
function compare(a: Framework, b: Framework): number {
  const [left, right] = [portableMembers(a), portableMembers(b)];
  return (
    left.length - right.length ||
    newer(right, left) - newer(left, right) ||
    compareNet(right, left) ||
    (frameworkName(a) < frameworkName(b) ? -1 : 1)
  );
}

function newer(frameworks: readonly Framework[], others: readonly Framework[]): number {
  return frameworks.filter((framework) => {
    const other = others.find(({ identifier }) => identifier === framework.identifier);
    return other !== undefined && compareParts(other.version, framework.version) < 0;
  }).length;
}

function compareNet(a: readonly Framework[], b: readonly Framework[]): number {
  const [left, right] = [a, b].map((list) => list.find(({ identifier }) => identifier === ".NETFramework"));
  return left && right ? compareParts(left.version, right.version) : 0;
}
