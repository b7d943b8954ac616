import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { reportFormats } from "../../report-formats/report-formats.js";
import type { ReportRunFilterInput } from "./report-run.input.js";
import { reportRunStates } from "./report-run.states.js";
import type { ReportRunType } from "./report-run.type.js";
import { isFormat, type RunRow, runRecord } from "./run-record.js";

const runId: SortColumn<ReportRunType> = {
  column: "run_id",
  type: "uuid",
  unique: true,
  of: ({ reportRunId }) => decodeId("run", reportRunId) ?? "",
};

/** A content has expired for every reader after its time, also before the job has removed it. */
const shownStatus = "case when status = 'Completed' and expires_at <= now() then 'Expired' else status end";

export const sortedReportRuns = new SortedList<ReportRunType, TenantStatement>({
  list: "reportRuns",
  // The ids of runs ascend with time.
  columns: { requestedAt: runId },
  id: runId,
  byDefault: "-requestedAt",
  firstParameter: 5,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select run.* from report_runs run where tenant_id = scope.tenant
         and ($2::text is null or ${shownStatus} = $2) and ($3::uuid is null or definition_id = $3)
         and ($4::text is null or format = $4) ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists the report runs of a tenant with filters and cursors. */
export class RunListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  /** A page of runs. Throws PARAMETERS_INVALID for an unknown state or format. */
  async list(context: RequestContext, request: PageRequest<ReportRunFilterInput>): Promise<Connection<ReportRunType>> {
    const tenant = tenantOf(context);
    const { status = null, reportDefinitionId = null, format = null } = request.filter ?? {};
    const unknown: InvalidEnumValue[] = [];
    if (status !== null && !Object.hasOwn(reportRunStates, status))
      unknown.push({ pointer: "/filter/status", allowed: Object.keys(reportRunStates) });
    if (format !== null && !isFormat(format))
      unknown.push({ pointer: "/filter/format", allowed: Object.keys(reportFormats) });
    if (unknown.length > 0) throw invalidEnumValue(unknown);
    const scope = { tenantId: tenant.tenantId, status, reportDefinitionId, format };
    const page = sortedReportRuns.page(this.#cursors, scope, request);
    const definition = reportDefinitionId === null ? null : decodeId("rpd", reportDefinitionId);
    // An id that is not well formed matches nothing.
    if (definition === undefined) return page.connection([]);
    const { reader } = this.#database;
    const rows = await reader.rows<RunRow>(page.statement, tenant, status, definition, format, ...page.values);
    return page.connection(rows.map(runRecord));
  }
}
