import type { Cell, Report, ReportRows } from "./report/report.js";

/** One JSON object: the report, its columns, and `rows` as objects whose members are the column keys. */
export async function* writeJson(report: Report, rows: ReportRows): AsyncGenerator<Buffer> {
  const { code, title, parameters, columns, notes = [] } = report;
  const keys = columns.map(({ key }) => key);
  const head = JSON.stringify({
    report: code,
    title,
    parameters,
    notes,
    columns: columns.map(({ key, title, kind }) => ({ key, title, kind })),
  });
  yield Buffer.from(`${head.slice(0, -1)},"rows":[`);
  let separator = "\n";
  for await (const batch of rows) {
    if (batch.length === 0) continue;
    yield Buffer.from(separator + batch.map((row) => JSON.stringify(recordOf(keys, row))).join(",\n"));
    separator = ",\n";
  }
  yield Buffer.from("\n]}\n");
}

function recordOf(keys: readonly string[], row: readonly Cell[]): Record<string, Cell> {
  const record: Record<string, Cell> = {};
  for (const [index, key] of keys.entries()) record[key] = row[index] ?? null;
  return record;
}
