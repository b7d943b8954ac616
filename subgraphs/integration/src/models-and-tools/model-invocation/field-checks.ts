import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";

/** Nested deeper, a schema could exhaust the stack of whoever writes it as JSON. */
const maxDepth = 64;

/** Collects what is wrong with a request, for one refusal that names all of it. No value of the request is repeated. */
export class FieldChecks {
  readonly #errors: FieldError[] = [];

  /** `pointer` is an RFC 6901 pointer into the request. */
  require(isRight: boolean, pointer: string, detail: string): void {
    // A refusal lists some faults; a hostile request may have thousands.
    if (!isRight && this.#errors.length < 20) this.#errors.push({ pointer, code: "INVALID", detail });
  }

  /** A JSON object of some depth at most, as a schema is. */
  requireSchema(text: string, pointer: string): void {
    if (text !== "") this.require(isFlatObject(text), pointer, "The value must be a JSON Schema as an object.");
  }

  /** Throws VALIDATION_FAILED when something is wrong. */
  done(): void {
    if (this.#errors.length === 0) return;
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The request is not valid. The list of errors names each member that is wrong.",
      errors: this.#errors,
    });
  }
}

/** Whether an optional number is absent or within the limits. */
export const isWithin = (value: number | undefined, from: number, to: number): boolean =>
  value === undefined || (value >= from && value <= to);

/** Whether a text has so many characters, none of them a control character. */
export const isName = (text: string, max: number): boolean =>
  text !== "" && text.length <= max && !/[\p{Cc}\p{Cs}]/u.test(text);

function isFlatObject(text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return true;
}
