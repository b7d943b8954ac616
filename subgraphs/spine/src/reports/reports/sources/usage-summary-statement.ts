// tables: audit_records, usage_counters

import type { Cell, ReportChart } from "../../report-formats/report/report.js";
import { cellsOf, columnsIn, type SqlColumn, selected } from "./cells.js";
import type { ReportSource, SourceQuery } from "./report-source.js";

const columns: readonly SqlColumn[] = [
  { key: "kind", title: "Kind", kind: "text", sql: "kind", isNarrow: true },
  { key: "date", title: "Date", kind: "date", sql: "date", isNarrow: true },
  { key: "source", title: "Source", kind: "text", sql: "source", isNarrow: true },
  { key: "name", title: "Name", kind: "text", sql: "name", width: 2, isNarrow: true },
  { key: "quantity", title: "Quantity", kind: "integer", sql: "quantity", isNarrow: true },
  { key: "refused", title: "Refused", kind: "integer", sql: "refused", isNarrow: true },
];

/** Equal refusals are counted together in one record. */
const outcomes = `coalesce(sum(coalesce(count, 1)) filter (where outcome = 'Succeeded'), 0) as quantity,
  coalesce(sum(coalesce(count, 1)) filter (where outcome <> 'Succeeded'), 0) as refused`;

const records = `from audit_records where tenant_id = $1 and recorded_at >= $2 and recorded_at < $3
  and (subject is null or subject <> all($4::text[]))`;

const day = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`;

/**
 * A counter is kept for 400 days after its period, and the row tells when the period ends. A counter whose period
 * reaches beyond the report also counts later usage, so it is shown only while the report itself is not over.
 */
const counters = `from usage_counters where tenant_id = $1 and keep_until is not null
  and period_start >= $2 and period_start < $3 and (not $5::boolean or keep_until - interval '9600 hours' <= $3)`;

/** Three sections: the metered features by period, the operations by day, and the operations by name. */
const summary = `(
    select 1 as section, 'Feature' as kind, ${day("period_start")} as date, 'spine' as source, feature_key as name,
      usage as quantity, 0 as refused ${counters}
    union all
    select 2, 'Day', date, ltrim(source, '/'), '', quantity, refused
    from (select ${day("recorded_at")} as date, source, ${outcomes} ${records} group by 1, 2) by_day
    union all
    select 3, 'Operation', null, ltrim(source, '/'), operation, quantity, refused
    from (select source, operation, ${outcomes} ${records} group by 1, 2) by_name
  ) summary`;

const order = `section, date collate "C" nulls last, source collate "C", name collate "C"`;

const valuesOf = ({ tenantUuid, start, end, leftOut, periodOver }: SourceQuery) => [
  tenantUuid,
  start,
  end,
  leftOut,
  periodOver,
];

/** The tenant's usage: its metered features, and its audited operations in all subgraphs. */
export const usageSummarySource: ReportSource = {
  columns: (format) => columnsIn(columns, format),
  /** There are at most a few thousand rows: three subgraphs by day, and the operation names. */
  async read(snapshot, query, format) {
    const text = `select ${selected(columns)} from ${summary} order by ${order}`;
    const all = cellsOf(columns)(await snapshot.rows(text, valuesOf(query)));
    return { total: all.length, rows: inBatches(all), ...(format === "pdf" && { charts: chartsOf(query, all) }) };
  },
};

const batchSize = 500;

async function* inBatches(rows: readonly (readonly Cell[])[]) {
  for (let from = 0; from < rows.length; from += batchSize) yield rows.slice(from, from + batchSize);
}

/** The rows with one kind, as objects. */
function rowsOf(kind: string, rows: readonly (readonly Cell[])[]) {
  return rows
    .filter(([first]) => first === kind)
    .map(([, date, source, name, quantity, refusedQuantity]) => ({
      ...{ date: String(date), source: String(source), name: String(name) },
      ...{ quantity: Number(quantity), refused: Number(refusedQuantity) },
    }));
}

type SummaryRow = ReturnType<typeof rowsOf>[number];

const chartsOf = (query: SourceQuery, rows: readonly (readonly Cell[])[]): readonly ReportChart[] =>
  [dailyChart(query, rowsOf("Day", rows)), featureChart(rowsOf("Feature", rows))].filter(
    (chart) => chart !== undefined,
  );

const dayMs = 86_400_000;

/** One line for each subgraph over all days in the period. */
function dailyChart({ start, end }: SourceQuery, rows: readonly SummaryRow[]): ReportChart | undefined {
  if (rows.length === 0) return undefined;
  const quantities = new Map(rows.map((row) => [`${row.date} ${row.source}`, row.quantity + row.refused]));
  const labels: string[] = [];
  for (let time = start.getTime(); time < end.getTime(); time += dayMs)
    labels.push(new Date(time).toISOString().slice(0, 10));
  const names = [...new Set(rows.map(({ source }) => source))].sort();
  const series = names.map((name) => ({
    name,
    values: labels.map((label) => quantities.get(`${label} ${name}`) ?? 0),
  }));
  return { kind: labels.length > 1 ? "line" : "bar", title: "Operations by day", labels, series };
}

const maxBars = 20;

/** One bar for each of the most used features. */
function featureChart(rows: readonly SummaryRow[]): ReportChart | undefined {
  const quantities = new Map<string, number>();
  for (const { name, quantity } of rows) quantities.set(name, (quantities.get(name) ?? 0) + quantity);
  if (quantities.size === 0) return undefined;
  const most = [...quantities].sort(([, first], [, second]) => second - first).slice(0, maxBars);
  return {
    kind: "bar",
    title: "Usage of metered features",
    labels: most.map(([name]) => name),
    series: [{ name: "usage", values: most.map(([, usage]) => usage) }],
  };
}
