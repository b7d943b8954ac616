// tables: audit_records, usage_counters

import type { ReportChart } from "../../report-formats/report/report.js";
import type { SnapshotRow } from "../snapshot/report-snapshot.js";
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
 * A counter is kept for 400 days after its period, which tells the end of the period. A counter whose period reaches
 * beyond the report also counts later usage, so it is shown only while the report itself is not over.
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

/** The usage of the tenant: its metered features, and its audited operations in all subgraphs. */
export const usageSummarySource: ReportSource = {
  columns: (format) => columnsIn(columns, format),
  async count(snapshot, query) {
    const [[count] = []] = await snapshot.rows(`select count(*) from ${summary}`, valuesOf(query));
    return Number(count);
  },
  async *rows(snapshot, query, format) {
    const shown = columnsIn(columns, format);
    const convert = cellsOf(shown);
    const text = `select ${selected(shown)} from ${summary} order by ${order}`;
    for await (const batch of snapshot.batches(text, valuesOf(query))) yield convert(batch);
  },
  async charts(snapshot, query) {
    const { tenantUuid, start, end, leftOut } = query;
    const byDay = `select ${day("recorded_at")}, ltrim(source, '/'), sum(coalesce(count, 1)) ${records}
      group by 1, 2`;
    const days = await snapshot.rows(byDay, [tenantUuid, start, end, leftOut]);
    const byFeature = `select feature_key, sum(usage) from (select feature_key, usage ${counters.replaceAll("$5", "$4")}) used
      group by feature_key order by sum(usage) desc, feature_key collate "C" limit 20`;
    const features = await snapshot.rows(byFeature, [tenantUuid, start, end, query.periodOver]);
    return [dailyChart(query, days), featureChart(features)].filter((chart) => chart !== undefined);
  },
};

const dayMs = 86_400_000;

/** One line for each subgraph over all days of the period. */
function dailyChart({ start, end }: SourceQuery, rows: readonly SnapshotRow[]): ReportChart | undefined {
  if (rows.length === 0) return undefined;
  const counted = new Map(rows.map(([date, source, count]) => [`${String(date)} ${String(source)}`, Number(count)]));
  const labels: string[] = [];
  for (let time = start.getTime(); time < end.getTime(); time += dayMs)
    labels.push(new Date(time).toISOString().slice(0, 10));
  const names = [...new Set(rows.map(([, source]) => String(source)))].sort();
  const series = names.map((name) => ({ name, values: labels.map((label) => counted.get(`${label} ${name}`) ?? 0) }));
  return { kind: labels.length > 1 ? "line" : "bar", title: "Operations by day", labels, series };
}

function featureChart(rows: readonly SnapshotRow[]): ReportChart | undefined {
  if (rows.length === 0) return undefined;
  const values = rows.map(([, usage]) => Number(usage));
  return {
    kind: "bar",
    title: "Usage of metered features",
    labels: rows.map(([key]) => String(key)),
    series: [{ name: "usage", values }],
  };
}
