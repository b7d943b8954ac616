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
  const members = new Map(candidates.map((one) => [one, portableMembers(one, { optional: true })]));
  const everything = [...members.values()].flat();
  const voters = isPortable(project) ? portableMembers(project, { optional: true }) : [project];
  const wanted = voters.flatMap((voter) => nearest(voter, everything) ?? []);
  const votes = new Map(
    [...members].map(([one, own]) => [
      one,
      wanted.filter((framework) => own.some((member) => sameFramework(member, framework))).length,
    ]),
  );
  const most = Math.max(...votes.values());
  const [best] = candidates.filter((one) => votes.get(one) === most).toSorted(compare);
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

function newer(these: readonly Framework[], those: readonly Framework[]): number {
  return these.filter((one) => {
    const other = those.find(({ identifier }) => identifier === one.identifier);
    return other !== undefined && compareParts(other.version, one.version) < 0;
  }).length;
}

function compareNet(a: readonly Framework[], b: readonly Framework[]): number {
  const [left, right] = [a, b].map((list) => list.find(({ identifier }) => identifier === ".NETFramework"));
  return left && right ? compareParts(left.version, right.version) : 0;
}
