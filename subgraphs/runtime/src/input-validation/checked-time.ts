import { DomainError } from "../errors/domain-error.js";

const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})$/;

/** The time that a text names in ISO 8601 with a time zone. Throws VALIDATION_FAILED with the text's pointer. */
export function checkedTime(text: string, pointer: string): Date {
  const time = timeForm.test(text) ? new Date(text) : undefined;
  if (time && !Number.isNaN(time.getTime()) && time.getUTCFullYear() > 0) return time;
  const name = pointer.split("/").at(-1);
  throw new DomainError("VALIDATION_FAILED", {
    detail: `The value of ${name} is not a time. Write it as ISO 8601 with a time zone, for example 2026-01-31T08:00:00Z.`,
    errors: [{ pointer, code: "FORMAT", detail: "Must be a time in ISO 8601 with a time zone." }],
  });
}
