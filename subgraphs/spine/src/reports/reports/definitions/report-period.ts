import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { inputValidator } from "@factory/runtime/input-validation/input-validator";

/** A report's days in UTC, both included, as YYYY-MM-DD. */
export interface ReportPeriod {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
const maxDays = 366;

/** The `parametersSchema` that every report has (JSON Schema draft 2020-12). */
export const periodSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["from", "to"],
  properties: {
    from: { type: "string", format: "date", description: "The first day in UTC, for example 2026-01-01." },
    to: {
      type: "string",
      format: "date",
      description: `The last day in UTC, at most ${maxDays} days from the first one, both included.`,
    },
  },
};

const check = inputValidator(periodSchema);
const place = "/input/parameters";

/** The period that the parameters name. Throws PARAMETERS_INVALID with pointers; further members are ignored. */
export function checkedPeriod(parameters: Readonly<Record<string, unknown>> | null | undefined): ReportPeriod {
  const presentParameters = parameters ?? {};
  const errors = check(presentParameters).map((error) => ({ ...error, pointer: `${place}${error.pointer}` }));
  if (errors.length > 0) throw refusal(errors);
  const period = { from: String(presentParameters["from"]), to: String(presentParameters["to"]) };
  const { start, end } = periodBounds(period);
  if (!(start.getTime() > 0)) throw refusal([outOfRange("from", "Must be a day after 1970-01-01.")]);
  if (end <= start) throw refusal([outOfRange("to", "Must not be before from.")]);
  if (end.getTime() - start.getTime() > maxDays * dayMs)
    throw refusal([outOfRange("to", `Must be so that the period has at most ${maxDays} days.`)]);
  return period;
}

/** The first moment in the period, and the first moment after it. */
export function periodBounds({ from, to }: ReportPeriod): { readonly start: Date; readonly end: Date } {
  const midnight = (day: string) => new Date(`${day}T00:00:00.000Z`);
  return { start: midnight(from), end: new Date(midnight(to).getTime() + dayMs) };
}

const outOfRange = (member: keyof ReportPeriod, detail: string): FieldError => ({
  pointer: `${place}/${member}`,
  code: "OUT_OF_RANGE",
  detail,
});

const refusal = (errors: FieldError[]) =>
  new DomainError("PARAMETERS_INVALID", {
    detail: "The parameters do not fit the parametersSchema of the report. See errors for each of them.",
    errors,
  });
