import { isReservedHeader } from "@factory/runtime/egress/reserved-header";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";

/** Collects everything that is wrong with a driver, so that one answer names it all. */
export class DriverProblems {
  readonly #errors: FieldError[] = [];

  refuse(pointer: string, detail: string, code = "FORMAT"): void {
    this.#errors.push({ pointer, code, detail });
  }

  /** Refuses a value outside its closed set. */
  oneOf(pointer: string, value: string, allowedValues: readonly string[]): void {
    if (!allowedValues.includes(value))
      this.refuse(pointer, `Must be one of ${allowedValues.join(", ")}.`, "UNKNOWN_VALUE");
  }

  /** Refuses a header that the client for outgoing requests sets itself. */
  header(pointer: string, name: string | undefined): void {
    if (name !== undefined && (isReservedHeader(name) || name.toLowerCase() === "__proto__"))
      this.refuse(pointer, `The header ${name} cannot be set. Name another header.`, "UNKNOWN_VALUE");
  }

  /** Throws PARAMETERS_INVALID with all problems, if there are any. */
  throwAny(): void {
    if (this.#errors.length === 0) return;
    throw new DomainError("PARAMETERS_INVALID", {
      detail: "The driver of the provider is not valid. See errors for its members.",
      errors: this.#errors.slice(0, 20),
    });
  }
}
