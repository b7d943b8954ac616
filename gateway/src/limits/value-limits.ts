import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import { Kind, type ValueNode } from "graphql";

/**
 * The limits for values. In a literal, all values count, beginning with the argument or the default value. In a
 * variable, only lists and objects count, because the request size limits the other values. A variable may have
 * `inputLevels` more levels for the input objects around a JSON value, so that a parameterSchema with 32 levels is
 * allowed.
 */
export const valueLimits = {
  maxDepth: 32,
  maxNodes: 2000,
  inputLevels: 4,
} as const;

interface Extent {
  depth: number;
  nodes: number;
}

/**
 * Returns the limit that a literal exceeds. Measuring stops at the first level or value over the limit, so that deep
 * values cannot exhaust the stack.
 */
export function literalProblem(value: ValueNode): { detail: string } | undefined {
  const extent = { depth: 0, nodes: 0 };
  measureLiteral(value, 1, extent);
  return problemOf("An argument or default value in the document", extent, valueLimits.maxDepth);
}

/** Returns the limit that a variable exceeds. */
export function variablesProblem(variables: Readonly<Record<string, unknown>>): { detail: string } | undefined {
  for (const [name, value] of Object.entries(variables)) {
    const extent = { depth: 0, nodes: 0 };
    measureValue(value, 1, extent);
    const problem = problemOf(`The variable ${name.slice(0, 40)}`, extent, maxVariableDepth);
    if (problem) {
      return problem;
    }
  }
  return undefined;
}

const maxVariableDepth = valueLimits.maxDepth + valueLimits.inputLevels;

function problemOf(subject: string, { depth, nodes }: Extent, maxDepth: number): { detail: string } | undefined {
  const { maxNodes } = valueLimits;
  if (depth > maxDepth) {
    return { detail: `${subject} has more than ${maxDepth} levels, which is the limit.` };
  }
  return nodes > maxNodes ? { detail: `${subject} has more than ${maxNodes} values, which is the limit.` } : undefined;
}

function measureLiteral(value: ValueNode, level: number, extent: Extent): void {
  extent.nodes += 1;
  const inner =
    value.kind === Kind.LIST
      ? value.values
      : value.kind === Kind.OBJECT
        ? value.fields.map((field) => field.value)
        : undefined;
  if (inner && isWithin(level, extent, valueLimits.maxDepth)) {
    for (const each of inner) {
      measureLiteral(each, level + 1, extent);
    }
  }
}

function measureValue(value: unknown, level: number, extent: Extent): void {
  if (typeof value !== "object" || value === null || isKeptNumber(value)) {
    return;
  }
  extent.nodes += 1;
  if (isWithin(level, extent, maxVariableDepth)) {
    for (const inner of Object.values(value)) {
      measureValue(inner, level + 1, extent);
    }
  }
}

function isWithin(level: number, extent: Extent, maxDepth: number): boolean {
  extent.depth = Math.max(extent.depth, level);
  return level <= maxDepth && extent.nodes <= valueLimits.maxNodes;
}
