import type { Database } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type Connection, connectionOf, type PageRequest, pageSize } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { ExecutionFilterInput } from "./execution.input.js";
import { executionStates } from "./execution.states.js";
import type { ExecutionType } from "./execution.type.js";
import { type ExecutionRow, executionRowView } from "./execution.view.js";

const executionsBefore = tenantStatement(
  "executions_before",
  `select execution.* from executions execution where tenant_id = scope.tenant
     and ($2::uuid is null or template_id = $2) and ($3::uuid is null or template_version_id = $3)
     and ($4::text is null or status = $4) and ($5::text is null or agent_task_id = $5)
     and ($6::uuid is null or execution_id < $6)
   order by execution_id desc limit $7`,
);

/** Newest first: the ids of executions ascend with time. */
export class ExecutionListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<ExecutionFilterInput>): Promise<Connection<ExecutionType>> {
    const { first, after, filter } = request;
    const size = pageSize(first);
    const tenant = tenantOf(context);
    const { templateId = null, templateVersionId = null, status = null, agentTaskId = null } = filter ?? {};
    requireStatus(status);
    const scope = { list: "executions", tenantId: tenant.tenantId, templateId, templateVersionId, status, agentTaskId };
    const before = after == null ? null : String(this.#cursors.open(scope, after));
    const filters = [uuidOf("tpl", templateId), uuidOf("tpv", templateVersionId), status, agentTaskId, before];
    // an id that cannot be one names nothing
    const unknown = filters[0] === undefined || filters[1] === undefined;
    const { reader } = this.#database;
    const rows = unknown ? [] : await reader.rows<ExecutionRow>(executionsBefore, tenant, ...filters, size + 1);
    const cursorOf = ({ executionId }: ExecutionType) => this.#cursors.seal(scope, decodeId("exe", executionId));
    return connectionOf(rows.map(executionRowView), { size, after, cursorOf });
  }
}

function uuidOf(prefix: "tpl" | "tpv", id: string | null): string | null | undefined {
  return id === null ? null : decodeId(prefix, id);
}

function requireStatus(status: string | null): void {
  if (status === null || Object.hasOwn(executionStates, status)) return;
  throw new DomainError("VALIDATION_FAILED", {
    detail: "There is no such status.",
    errors: [
      {
        pointer: "/filter/status",
        code: "UNKNOWN_VALUE",
        detail: `Must be one of ${Object.keys(executionStates).join(", ")}.`,
      },
    ],
  });
}
