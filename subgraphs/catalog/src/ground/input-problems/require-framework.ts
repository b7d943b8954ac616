import { type Framework, parseFramework } from "@factory/nuget/framework";
import { inputProblem } from "./input-problem.js";
import { frameworkDetail } from "./nuget-details.js";

/** Parses the moniker at a JSON pointer into the request. Throws RUNTIME_NOT_RECOGNISED where it is not known. */
export function requireFramework(moniker: string, pointer: string): Framework {
  const framework = parseFramework(moniker);
  if (framework) return framework;
  throw inputProblem("RUNTIME_NOT_RECOGNISED", { pointer, code: "UNKNOWN_VALUE", detail: frameworkDetail(moniker) });
}
