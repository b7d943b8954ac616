import type { RenderReport } from "../findings/render-report.js";
import { CppEvaluator } from "./cpp.js";
import { cpp2Dialect, msbuildDialect, visualBasicDialect } from "./dialect.js";
import type { Variables } from "./symbol-value.js";
import { TreeEvaluator } from "./tree-evaluator.js";

/** The condition dialects. */
export type EvaluatorName = "C++" | "C++2" | "MSBUILD" | "VB";

/** The evaluator with the name that a template gives; undefined when the name is unknown. */
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

/** A condition's value, how many characters were read, and its fault if it has one. */
interface Outcome {
  value: boolean;
  length: number;
  fault: string | null;
}

/** Evaluates the condition that a text begins with. */
export type Evaluate = (text: string) => Outcome;

/** Makes an evaluator for variables that do not change; `variableName` gives a symbol's name in a condition. */
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

/** Makes the evaluator for `Condition` attributes, in which symbols are written as `$(Name)`. */
export function attributeEvaluator(variables: Variables): Evaluate {
  const tree = new TreeEvaluator(msbuildDialect, variables, (name) => `$(${name})`);
  return (text) => tree.evaluate(text);
}

/** Evaluates a condition in template.json. A faulty condition is reported, and usually false; an empty one is true. */
export function decideCondition(
  condition: string | null,
  variables: Variables,
  report: RenderReport,
  name: EvaluatorName = "C++2",
): boolean {
  if (condition === null || condition.trim() === "") return true;
  const { value, fault } = evaluatorFor(name, variables)(condition);
  if (fault !== null)
    report.warn("ConditionUnparseable", `The condition "${condition}" is treated as ${value}: ${fault}.`);
  return value;
}
