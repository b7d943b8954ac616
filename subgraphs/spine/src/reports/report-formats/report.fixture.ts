import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import type { Cell, CellKind, Report, ReportRows, ReportWriter } from "./report/report.js";

/** A report with a column for each kind. */
export const sampleReport: Report = {
  code: "sample",
  title: "Sample",
  parameters: { from: "2026-11-01", to: "2026-11-30" },
  columns: [
    { key: "name", title: "Name", kind: "text" },
    { key: "count", title: "Count", kind: "integer" },
    { key: "share", title: "Share", kind: "decimal" },
    { key: "day", title: "Day", kind: "date" },
    { key: "occurredAt", title: "Occurred at", kind: "date-time" },
    { key: "active", title: "Active", kind: "boolean" },
  ],
  asOf: new Date("2026-12-01T00:00:00Z"),
  notes: ["The period is not over."],
};

/** The rows in batches with at most `size`. */
export async function* batches(rows: readonly (readonly Cell[])[], size = 500): ReportRows {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** The whole report. */
export const bytesOf = (write: ReportWriter, report: Report, rows: ReportRows): Promise<Buffer> =>
  buffer(write(report, rows));

// PostgreSQL stores neither lone surrogates nor NUL
const text = fc.oneof(
  fc.string({ unit: "binary" }).map((value) => value.replaceAll("\0", "")),
  fc.string({
    unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", "'", "<", "&", "_x000D_", "\u001b", "a"),
  }),
);
const instant = fc.date({
  min: new Date("1900-03-01T00:00:00Z"),
  max: new Date("9999-12-31T23:59:59Z"),
  noInvalidDate: true,
});

const cells: Record<CellKind, fc.Arbitrary<Cell>> = {
  text,
  integer: fc.maxSafeInteger(),
  decimal: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  date: instant.map((value) => value.toISOString().slice(0, 10)),
  "date-time": instant,
  boolean: fc.boolean(),
};

/** Rows for the sample report with any cells, among them null. */
export const anyRows: fc.Arbitrary<Cell[][]> = fc.array(
  fc.tuple(...sampleReport.columns.map(({ kind }) => fc.option(cells[kind]))),
  { maxLength: 20 },
);
