import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";

type Code = "FORMAT" | "REQUIRED" | "UNKNOWN_VALUE" | "UNSUPPORTED";

/** What keeps a package from being imported; everything that is wrong with it in one answer. */
export class PackageProblems {
  readonly #errors: FieldError[] = [];

  add(code: Code, detail: string): void {
    this.#errors.push({ pointer: "/sourceRef", code, detail });
  }

  refuse(): void {
    const [first] = this.#errors;
    if (first) throw new DomainError("LIBRARY_PACKAGE_INVALID", { detail: first.detail, errors: this.#errors });
  }
}

export function packageProblem(code: Code, detail: string): DomainError {
  return new DomainError("LIBRARY_PACKAGE_INVALID", { detail, errors: [{ pointer: "/sourceRef", code, detail }] });
}
