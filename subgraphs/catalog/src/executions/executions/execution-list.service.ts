import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { asciiUrl } from "@factory/runtime/internet-names/ascii-url";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, idFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { executionStates } from "./record/execution.states.js";
import type { ExecutionType } from "./record/execution.type.js";
import { executionRowView } from "./record/execution.view.js";
import type { ExecutionFilterInput } from "./request/execution.input.js";

const executionId: SortColumn<ExecutionType> = {
  column: "execution_id",
  type: "uuid",
  unique: true,
  of: (execution) => decodeId("exe", execution.executionId) ?? "",
};

export const sortedExecutions = new SortedList<ExecutionType, TenantStatement>({
  list: "executions",
  // Execution ids ascend with time.
  columns: { requestedAt: executionId },
  id: executionId,
  byDefault: "-requestedAt",
  filters: {
    templateId: idFilter("tpl", "template_id"),
    templateVersionId: idFilter("tpv", "template_version_id"),
    status: enumFilter(executionStates, "status"),
    agentTaskId: textFilter("agent_task_id"),
    repository: {
      ...textFilter("repository"),
      // one host has many spellings, and a row has the one that its target was given
      parameter: (repository: string) => asciiUrl(repository) ?? repository,
    },
    branch: textFilter("branch"),
  },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select execution.* from executions execution where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists a tenant's executions with filters, sorting and cursors. */
export class ExecutionListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  list(context: RequestContext, request: PageRequest<ExecutionFilterInput>): Promise<Connection<ExecutionType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedExecutions, list, request, executionRowView);
  }
}
