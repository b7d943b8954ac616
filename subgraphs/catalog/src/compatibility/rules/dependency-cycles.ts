import { compareText } from "@factory/nuget/listed-package";
import { type Release, releaseName } from "@factory/nuget/package-snapshot";
import type { Graph } from "@factory/nuget/restore-walk";
import type { Finding, Situation } from "../evaluation/evaluation-context.js";
import { moveTo, releasesNear, smallestFirst } from "../moves/candidates.js";

/** Releases that depend on themselves through others (NU1108); one finding per knot. */
export function cyclic(situation: Situation): Finding[] {
  const { graph } = situation;
  const onward = withoutEnds(neighbours(graph));
  const knots = new Map<string, string[]>();
  for (const key of [...onward.keys()].sort(compareText)) {
    if ([...knots.values()].some((known) => known.includes(key))) continue;
    const circle = shortestCircle(key, onward);
    if (circle !== undefined) knots.set(circle.toSorted(compareText).join("|"), circle);
  }
  return [...knots].map(([subject, circle]) => {
    const members = circle.flatMap((key) => graph.nodes.get(key)?.release ?? []);
    const [first] = members;
    return {
      rule: "LibraryDependencyCycle",
      subject,
      packageName: first?.library.packageName ?? subject,
      detail: `${[...members, ...members.slice(0, 1)].map(releaseName).join(" → ")} go round in a circle.`,
      moves: () => [smallestFirst(members.flatMap((release) => withoutTheEdge(situation, release, circle)))],
    };
  });
}

function neighbours({ nodes, edges }: Graph): Map<string, Set<string>> {
  const onward = new Map<string, Set<string>>();
  for (const { from, key } of edges) {
    if (nodes.get(from.library.key)?.release !== from || nodes.get(key)?.release === undefined) continue;
    const known = onward.get(from.library.key) ?? new Set();
    onward.set(from.library.key, known.add(key));
  }
  return onward;
}

/** Leaves only what may lie on a circle: takes away, until none is left, packages that need nothing that needs more. */
function withoutEnds(onward: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const left = new Map([...onward].map(([key, needs]) => [key, needs.size]));
  const askers = new Map<string, string[]>();
  for (const [key, needs] of onward)
    for (const need of needs) {
      const known = askers.get(need);
      if (known === undefined) askers.set(need, [key]);
      else known.push(key);
    }
  const ends = [...askers.keys()].filter((key) => !left.has(key));
  for (const end of ends)
    for (const asker of askers.get(end) ?? []) {
      const count = (left.get(asker) ?? 0) - 1;
      left.set(asker, count);
      if (count === 0) ends.push(asker);
    }
  const gone = new Set(ends);
  const open = [...onward].filter(([key]) => !gone.has(key));
  return new Map(open.map(([key, needs]) => [key, new Set([...needs].filter((need) => !gone.has(need)))]));
}

function shortestCircle(start: string, onward: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const key of queue)
    for (const next of [...(onward.get(key) ?? [])].sort(compareText)) {
      if (next === start) return pathTo(key, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, key);
      queue.push(next);
    }
  return undefined;
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path: string[] = [];
  for (let key: string | undefined = end; key !== undefined; key = cameFrom.get(key)) path.unshift(key);
  return path;
}

function withoutTheEdge(situation: Situation, release: Release, circle: readonly string[]) {
  const { library, version } = release;
  const next = circle[(circle.indexOf(library.key) + 1) % circle.length];
  const { snapshot, project } = situation;
  const test = (other: Release) => !snapshot.dependenciesOf(other, project).some(({ key }) => key === next);
  const direct = situation.graph.nodes.get(library.key)?.direct ?? false;
  return moveTo({ direct, release }, releasesNear(situation, library, { from: version, test }));
}
