import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { ErrorCode } from "@factory/schema/error-codes";

type ProblemCode = "FORMAT" | "REQUIRED" | "UNKNOWN_VALUE" | "UNSUPPORTED" | "DUPLICATE";

/** Collects everything that is wrong with a request, so that one error names it all. */
export class InputProblems {
  readonly #code: ErrorCode;
  readonly #errors: FieldError[] = [];

  /** `code` is the code in the error that `refuse` throws. */
  constructor(code: ErrorCode) {
    this.#code = code;
  }

  add(pointer: string, code: ProblemCode, detail: string): void {
    this.#errors.push({ pointer, code, detail });
  }

  /** Throws when a problem was added. Without a `detail` the error has the first problem's detail. */
  refuse(detail?: string): void {
    const [first] = this.#errors;
    if (first) throw new DomainError(this.#code, { detail: detail ?? first.detail, errors: this.#errors });
  }
}
