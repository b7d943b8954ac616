import { DomainError } from "@factory/runtime/errors/domain-error";

/** Where the request names its package: every problem of a package is reported at this JSON pointer. */
export const packagePointer = "/sourceRef";

/** The error for a package that cannot be read any further. */
export function packageProblem(code: "FORMAT" | "REQUIRED", detail: string): DomainError {
  return new DomainError("LIBRARY_PACKAGE_INVALID", { detail, errors: [{ pointer: packagePointer, code, detail }] });
}
