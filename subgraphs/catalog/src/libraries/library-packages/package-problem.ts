import type { DomainError } from "@factory/runtime/errors/domain-error";
import { inputProblem } from "../../ground/input-problems/input-problem.js";

/** Where the request names its package: every problem with a package is reported at this JSON pointer. */
export const packagePointer = "/sourceRef";

/** The error for a package that cannot be read any further. */
export function packageProblem(code: "FORMAT" | "REQUIRED", detail: string): DomainError {
  return inputProblem("LIBRARY_PACKAGE_INVALID", { pointer: packagePointer, code, detail });
}
