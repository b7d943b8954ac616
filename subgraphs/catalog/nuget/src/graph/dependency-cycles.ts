import { compareText } from "../text-order.js";
import type { DependencyGraph } from "./dependency-graph.js";

type Adjacency = ReadonlyMap<string, ReadonlySet<string>>;

/** A graph's dependency cycles, each as its packages in order; one cycle for each set of packages. */
export function findCycles(graph: DependencyGraph): string[][] {
  const dependencies = withoutLeaves(adjacencyOf(graph));
  const cycles = new Map<string, string[]>();
  for (const key of [...dependencies.keys()].sort(compareText)) {
    if ([...cycles.values()].some((cycle) => cycle.includes(key))) continue;
    const cycle = shortestCycle(key, dependencies);
    if (cycle !== undefined) cycles.set(cycle.toSorted(compareText).join("|"), cycle);
  }
  return [...cycles.values()];
}

function adjacencyOf({ nodes, edges }: DependencyGraph): Map<string, Set<string>> {
  const dependencies = new Map<string, Set<string>>();
  for (const { from, key } of edges) {
    if (nodes.get(from.library.key)?.release !== from || nodes.get(key)?.release === undefined) continue;
    const needs = dependencies.get(from.library.key) ?? new Set();
    dependencies.set(from.library.key, needs.add(key));
  }
  return dependencies;
}

/** Leaves only packages that may lie on a cycle: removes packages without dependencies until none is left. */
function withoutLeaves(dependencies: Adjacency): Map<string, Set<string>> {
  const openNeeds = new Map([...dependencies].map(([key, needs]) => [key, needs.size]));
  const dependents = new Map<string, string[]>();
  for (const [key, needs] of dependencies)
    for (const need of needs) {
      const dependentKeys = dependents.get(need);
      if (dependentKeys === undefined) dependents.set(need, [key]);
      else dependentKeys.push(key);
    }
  const leaves = [...dependents.keys()].filter((key) => !openNeeds.has(key));
  for (const leaf of leaves)
    for (const dependent of dependents.get(leaf) ?? []) {
      const count = (openNeeds.get(dependent) ?? 0) - 1;
      openNeeds.set(dependent, count);
      if (count === 0) leaves.push(dependent);
    }
  const leafKeys = new Set(leaves);
  const remaining = [...dependencies].filter(([key]) => !leafKeys.has(key));
  return new Map(remaining.map(([key, needs]) => [key, new Set([...needs].filter((need) => !leafKeys.has(need)))]));
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
