import type { PlanNode, ResponsePath } from "@apollo/query-planner";
import { compileFetch, type PlanTools, type Step } from "./fetch-step.js";

/** Compiles a plan node into one function. The function is synchronous as long as every fetch is synchronous. */
export function compilePlan<C>(node: PlanNode, path: ResponsePath, tools: PlanTools<C>): Step<C> {
  switch (node.kind) {
    case "Fetch":
      return compileFetch(node, path, tools);
    case "Flatten":
      return compilePlan(node.node, [...path, ...node.path], tools);
    case "Sequence":
      return inSequence(node.nodes.map((child) => compilePlan(child, path, tools)));
    case "Parallel":
      return inParallel(node.nodes.map((child) => compilePlan(child, path, tools)));
    case "Condition": {
      const then = node.ifClause && compilePlan(node.ifClause, path, tools);
      const otherwise = node.elseClause && compilePlan(node.elseClause, path, tools);
      return (run) => (run.coerced[node.condition] === true ? then?.(run) : otherwise?.(run));
    }
    case "Defer":
      throw new Error("@defer is not supported");
    default:
      throw new Error(`Unknown plan node ${JSON.stringify(node)}`);
  }
}

function inSequence<C>(steps: Step<C>[]): Step<C> {
  const from = (start: number): Step<C> => {
    return (run) => {
      for (let index = start; index < steps.length; index++) {
        const pending = steps[index]?.(run);
        if (pending) {
          return index + 1 < steps.length ? pending.then(() => from(index + 1)(run)) : pending;
        }
      }
      return undefined;
    };
  };
  return steps.length === 1 && steps[0] ? steps[0] : from(0);
}

function inParallel<C>(steps: Step<C>[]): Step<C> {
  return (run) => {
    const pending: Promise<void>[] = [];
    for (const step of steps) {
      const pendingStep = step(run);
      if (pendingStep) {
        pending.push(pendingStep);
      }
    }
    return pending.length > 1 ? Promise.all(pending).then(() => undefined) : pending[0];
  };
}
