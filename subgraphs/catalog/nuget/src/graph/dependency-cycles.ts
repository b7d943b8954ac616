import { compareText } from "../text-order.js";
import type { DependencyGraph } from "./dependency-graph.js";

type Adjacency = ReadonlyMap<string, ReadonlySet<string>>;

/** The dependency cycles of a graph, each as its packages in order; one cycle for each set of packages. */
export function findCycles(graph: DependencyGraph): string[][] {
  const dependencies = withoutLeaves(adjacencyOf(graph));
  const cycles = new Map<string, string[]>();
  for (const key of [...dependencies.keys()].sort(compareText)) {
    if ([...cycles.values()].some((known) => known.includes(key))) continue;
    const cycle = shortestCycle(key, dependencies);
    if (cycle !== undefined) cycles.set(cycle.toSorted(compareText).join("|"), cycle);
  }
  return [...cycles.values()];
}

function adjacencyOf({ nodes, edges }: DependencyGraph): Map<string, Set<string>> {
  const dependencies = new Map<string, Set<string>>();
  for (const { from, key } of edges) {
    if (nodes.get(from.library.key)?.release !== from || nodes.get(key)?.release === undefined) continue;
    const known = dependencies.get(from.library.key) ?? new Set();
    dependencies.set(from.library.key, known.add(key));
  }
  return dependencies;
}

/** Leaves only packages that may lie on a cycle: removes packages without dependencies until none is left. */
function withoutLeaves(dependencies: Adjacency): Map<string, Set<string>> {
  const left = new Map([...dependencies].map(([key, needs]) => [key, needs.size]));
  const dependents = new Map<string, string[]>();
  for (const [key, needs] of dependencies)
    for (const need of needs) {
      const known = dependents.get(need);
      if (known === undefined) dependents.set(need, [key]);
      else known.push(key);
    }
  const leaves = [...dependents.keys()].filter((key) => !left.has(key));
  for (const leaf of leaves)
    for (const dependent of dependents.get(leaf) ?? []) {
      const count = (left.get(dependent) ?? 0) - 1;
      left.set(dependent, count);
      if (count === 0) leaves.push(dependent);
    }
  const removed = new Set(leaves);
  const kept = [...dependencies].filter(([key]) => !removed.has(key));
  return new Map(kept.map(([key, needs]) => [key, new Set([...needs].filter((need) => !removed.has(need)))]));
}

function shortestCycle(start: string, dependencies: Adjacency): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const key of queue)
    for (const next of [...(dependencies.get(key) ?? [])].sort(compareText)) {
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
