import type { RenderReport } from "../findings/render-report.js";
import { CppEvaluator } from "./cpp.js";
import { cpp2Dialect, msbuildDialect, visualBasicDialect } from "./dialect.js";
import type { Variables } from "./symbol-value.js";
import { TreeEvaluator } from "./tree-evaluator.js";

export type EvaluatorName = "C++" | "C++2" | "MSBUILD" | "VB";

/** The evaluator a template names; undefined when there is none of that name. */
export function evaluatorNamed(name: string | null, fallback: EvaluatorName): EvaluatorName | undefined {
  if (name === null || name.trim() === "") return fallback;
  switch (name.trim().toUpperCase()) {
    case "C++":
      return "C++";
    case "C++2":
      return "C++2";
    case "MSBUILD":
      return "MSBUILD";
    case "VB":
      return "VB";
    default:
      return undefined;
  }
}

export interface Outcome {
  value: boolean;
  length: number;
  fault: string | null;
}

export type Evaluate = (text: string) => Outcome;

/** An evaluator over variables that do not change any more; `variableName` tells how a condition spells them. */
export function evaluatorFor(
  name: EvaluatorName,
  variables: Variables,
  variableName: (name: string) => string = (symbol) => symbol,
): Evaluate {
  if (name === "C++") {
    const cpp = new CppEvaluator(variables, variableName);
    return (text) => cpp.evaluate(text);
  }
  const dialect = { "C++2": cpp2Dialect, MSBUILD: msbuildDialect, VB: visualBasicDialect }[name];
  const tree = new TreeEvaluator(dialect, variables, variableName);
  return (text) => tree.evaluate(text);
}

/** The evaluator of `Condition` attributes, where symbols are written as `$(Name)`. */
export function attributeEvaluator(variables: Variables): Evaluate {
  const tree = new TreeEvaluator(msbuildDialect, variables, (name) => `$(${name})`);
  return (text) => tree.evaluate(text);
}

/** Decides a condition of template.json; one that cannot be decided is false and reported. */
export function decideCondition(
  condition: string | null,
  variables: Variables,
  report: RenderReport,
  name: EvaluatorName = "C++2",
): boolean {
  if (condition === null || condition.trim() === "") return true;
  const { value, fault } = evaluatorFor(name, variables)(condition);
  if (fault !== null) report.warn("ConditionUnparseable", `The condition "${condition}" counts as false: ${fault}.`);
  return value;
}
