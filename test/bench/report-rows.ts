import type { Cell, Report, ReportRows } from "@factory/spine/report-formats/report/report";

/** A report like the audit log, with as many rows as a writer is measured with. */
export const auditReport: Report = {
  code: "audit-log",
  title: "Audit log",
  parameters: { from: "2026-11-01", to: "2026-11-30" },
  columns: [
    { key: "occurredAt", title: "Time", kind: "date-time" },
    { key: "mutation", title: "Mutation", kind: "text" },
    { key: "principal", title: "Principal", kind: "text", width: 2 },
    { key: "outcome", title: "Outcome", kind: "text" },
    { key: "durationMs", title: "Duration in ms", kind: "decimal" },
    { key: "sequence", title: "Sequence", kind: "integer" },
    { key: "address", title: "Address", kind: "text" },
    { key: "recordId", title: "Record", kind: "text", width: 2 },
  ],
  asOf: new Date("2026-12-01T00:00:00Z"),
};

const start = Date.parse("2026-11-01T00:00:00Z");

/** Rows in batches (500 each), which are made when they are asked for, as from a cursor. */
export async function* auditRows(count: number): ReportRows {
  for (let first = 0; first < count; first += 500)
    yield Array.from({ length: Math.min(500, count - first) }, (_, index) => rowOf(first + index));
}

const rowOf = (index: number): Cell[] => [
  new Date(start + index * 7_919),
  index % 3 === 0 ? "updateFeatureFlag" : "assignRole",
  `user usr_${index.toString(32).padStart(26, "0")} of "Müller, Söhne & Co"`,
  index % 17 === 0 ? "Refused" : "Succeeded",
  (index % 1_000) / 8,
  index,
  `192.0.2.${index % 256}`,
  `-aud_${(index * 31).toString(32).padStart(26, "0")}`,
];
