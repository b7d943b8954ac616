import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { idFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ReportRunFilterInput } from "./report-run.input.js";
import type { ReportRunType } from "./report-run.type.js";
import { runRecord } from "./run-record.js";

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
  // Run ids ascend with time.
  columns: { requestedAt: runId },
  id: runId,
  byDefault: "-requestedAt",
  filters: {
    status: textFilter(shownStatus),
    reportDefinitionId: idFilter("rpd", "definition_id"),
    format: textFilter("format"),
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select run.* from report_runs run where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists a tenant's report runs with filters and cursors. */
export class RunListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  /** A page with runs. Throws PARAMETERS_INVALID for an unknown state or format. */
  list(context: RequestContext, request: PageRequest<ReportRunFilterInput>): Promise<Connection<ReportRunType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedReportRuns, list, request, runRecord);
  }
}
