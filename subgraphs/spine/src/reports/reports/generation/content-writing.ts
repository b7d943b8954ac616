import { failpoint } from "@factory/runtime/faults/failpoint";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cell, Report, ReportRows } from "../../report-formats/report/report.js";
import { reportFormats } from "../../report-formats/report-formats.js";
import type { ContentStore, StoredContent } from "../contents/content-store.js";
import { isKnownReport, knownReports } from "../definitions/known-reports.js";
import { periodBounds } from "../definitions/report-period.js";
import { isFormat, type RunRecord, subjectOf } from "../runs/run-record.js";
import { tooManyRows } from "../runs/too-large.js";
import type { ReportSnapshot } from "../snapshot/report-snapshot.js";
import type { ReportSnapshots } from "../snapshot/report-snapshots.js";
import type { ReportSource, SourceQuery } from "../sources/report-source.js";
import { reportSources } from "../sources/report-sources.js";
import type { RunClaim } from "./run-claim.js";

interface WritingServices {
  readonly snapshots: ReportSnapshots;
  readonly contents: ContentStore;
}

/**
 * The interval for stored progress, and so the longest time until a run without a notification notices a cancellation.
 */
const progressMs = 1000;

/**
 * The runs of the same report whose records a report leaves out, so that generating it once more does not change it. A
 * period that is over holds no record about a run that was requested later.
 */
const runsOfReport = `select run_id from report_runs
  where tenant_id = $1 and code = $2 and parameters = $3::jsonb and not period_over order by run_id`;

/** One attempt to write a run's content, from one snapshot. */
export class ContentWriting {
  readonly #claim: RunClaim;
  readonly #services: WritingServices;
  #done = 0;
  #total = 0;
  #storedAt = 0;

  constructor(claim: RunClaim, services: WritingServices) {
    this.#claim = claim;
    this.#services = services;
  }

  /** The number of rows that were written. */
  get rows(): number {
    return this.#done;
  }

  /** Writes and stores the content. Throws the signal's reason, RunLost, REPORT_TOO_LARGE, and store errors. */
  write(signal: AbortSignal): Promise<StoredContent> {
    const { snapshots, contents } = this.#services;
    const { run, tenant, content, maxBytes } = this.#claim;
    const { format, source } = writerOf(run);
    return snapshots.use(tenant, signal, async (snapshot) => {
      const query = await this.#query(snapshot);
      const reportRows = await source.read(snapshot, query, run.format);
      this.#total = reportRows.total;
      if (this.#total > format.maxRows) throw tooManyRows(run.format, format.maxRows);
      await this.#store();
      const report = { ...described(run, source), ...(reportRows.charts && { charts: reportRows.charts }) };
      const bytes = format.write(report, this.#counted(reportRows.rows, snapshot, signal));
      return contents.write(content, untilAborted(bytes, signal), maxBytes);
    });
  }

  async #query(snapshot: ReportSnapshot): Promise<SourceQuery> {
    const { run, tenant } = this.#claim;
    const { start, end } = periodBounds(run.parameters);
    const { periodOver } = run;
    const leftOut = periodOver
      ? [run.reportRunId]
      : (await snapshot.rows(runsOfReport, [tenant.uuid, run.reportCode, JSON.stringify(run.parameters)])).map(
          ([uuid]) => encodeId("run", String(uuid)),
        );
    return { tenantUuid: tenant.uuid, start, end, periodOver, leftOut: leftOut.map(subjectOf) };
  }

  /** The rows, after which the snapshot ends: drawing a pdf and synchronizing the file need no transaction. */
  async *#counted(
    rows: ReportRows,
    snapshot: ReportSnapshot,
    signal: AbortSignal,
  ): AsyncGenerator<readonly (readonly Cell[])[], void, undefined> {
    for await (const batch of rows) {
      signal.throwIfAborted();
      yield batch;
      this.#done += batch.length;
      failpoint("reports.writing");
      if (performance.now() - this.#storedAt > progressMs) await this.#store();
    }
    await snapshot.end();
    // A pdf is drawn after its last row, which takes seconds.
    if (this.#done > 0) await this.#store();
  }

  async #store(): Promise<void> {
    this.#storedAt = performance.now();
    await this.#claim.progress({ done: this.#done, total: this.#total });
  }
}

/** A pdf's pages follow its last row. */
async function* untilAborted(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    yield chunk;
  }
}

function writerOf({ reportCode, format }: RunRecord) {
  if (!isKnownReport(reportCode) || !isFormat(format))
    throw new Error(`This release does not know the report ${reportCode} in the format ${format}`);
  return { format: reportFormats[format], source: reportSources[reportCode] };
}

/** The report's description. It depends on the parameters only, and not on the run or the clock. */
function described({ reportCode: code, parameters, periodOver, format }: RunRecord, source: ReportSource): Report {
  return {
    code,
    title: isKnownReport(code) ? knownReports[code].name : code,
    parameters: { ...parameters },
    columns: source.columns(format),
    asOf: periodBounds(parameters).end,
    notes: periodOver ? [] : [unfinishedNote(parameters.to)],
  };
}

const unfinishedNote = (to: string) =>
  `The period ends on ${to}. It was not over for an hour when the report was requested: further rows may follow.`;
