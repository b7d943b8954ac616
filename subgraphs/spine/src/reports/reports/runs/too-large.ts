import { DomainError } from "@factory/runtime/errors/domain-error";

/** The refusal for a report that has more rows than its format can hold. */
export function tooManyRows(format: string, maxRows: number): DomainError {
  const detail = `The report has more than ${maxRows} rows, which is the limit of the format ${format}. Use the format csv, which has none, or a shorter period.`;
  return new DomainError("REPORT_TOO_LARGE", {
    detail,
    limit: maxRows,
    errors: [{ pointer: "/input/format", code: "OUT_OF_RANGE", detail }],
  });
}

/** The refusal for a report that has more bytes than a run, or the tenant, may store. */
export const tooManyBytes = (maxBytes: number): DomainError =>
  new DomainError("REPORT_TOO_LARGE", {
    detail: `The content of the report has more than ${maxBytes} bytes, which are left to the tenant. Use a shorter period, or expire the contents of other runs.`,
    limit: maxBytes,
  });
