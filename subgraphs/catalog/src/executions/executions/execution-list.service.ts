import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { executionStates } from "./record/execution.states.js";
import type { ExecutionType } from "./record/execution.type.js";
import { type ExecutionRow, executionRowView } from "./record/execution.view.js";
import type { ExecutionFilterInput } from "./request/execution.input.js";

const executionId: SortColumn<ExecutionType> = {
  column: "execution_id",
  type: "uuid",
  unique: true,
  of: (execution) => decodeId("exe", execution.executionId) ?? "",
};

export const sortedExecutions = new SortedList<ExecutionType, TenantStatement>({
  list: "executions",
  // The ids of executions ascend with time.
  columns: { requestedAt: executionId },
  id: executionId,
  byDefault: "-requestedAt",
  firstParameter: 6,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select execution.* from executions execution where tenant_id = scope.tenant
         and ($2::uuid is null or template_id = $2) and ($3::uuid is null or template_version_id = $3)
         and ($4::text is null or status = $4) and ($5::text is null or agent_task_id = $5) ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists the executions of a tenant with filters, sorting and cursors. */
export class ExecutionListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<ExecutionFilterInput>): Promise<Connection<ExecutionType>> {
    const tenant = tenantOf(context);
    const { templateId = null, templateVersionId = null, status = null, agentTaskId = null } = request.filter ?? {};
    requireStatus(status);
    const scope = { tenantId: tenant.tenantId, templateId, templateVersionId, status, agentTaskId };
    const page = sortedExecutions.page(this.#cursors, scope, request);
    const filters = [uuidOf("tpl", templateId), uuidOf("tpv", templateVersionId), status, agentTaskId];
    // An id that is not well formed matches nothing.
    const unknown = filters[0] === undefined || filters[1] === undefined;
    const { reader } = this.#database;
    const rows = unknown ? [] : await reader.rows<ExecutionRow>(page.statement, tenant, ...filters, ...page.values);
    return page.connection(rows.map(executionRowView));
  }
}

function uuidOf(prefix: "tpl" | "tpv", id: string | null): string | null | undefined {
  return id === null ? null : decodeId(prefix, id);
}

function requireStatus(status: string | null): void {
  if (status === null || Object.hasOwn(executionStates, status)) return;
  throw invalidEnumValue([{ pointer: "/filter/status", allowed: Object.keys(executionStates) }]);
}
