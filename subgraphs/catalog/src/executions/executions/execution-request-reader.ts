import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import { longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import type { Database } from "@factory/runtime/unit-of-work/database";
import {
  type ShownParameters,
  withheldAltogether,
  withoutWriteOnlyValues,
} from "../../templates/parameters/write-only-values.js";
import { type ParameterSchemas, parameterSchemas, revisionKey } from "./parameter-schemas-statement.js";
import { Execution, type RequestedLibrary } from "./record/execution.entity.js";
import type { ExecutionType } from "./record/execution.type.js";
import { rowBehind } from "./record/execution.view.js";

/** The request for an execution, as a caller may see it. */
interface ShownRequest extends ShownParameters {
  readonly libraries: readonly RequestedLibrary[];
}

const members = [
  ...["executionId", "requestedBy", "agentTaskId", "templateVersionId", "templateRevision"],
  ...["parameters", "libraries"],
] as const satisfies readonly (keyof Execution)[];

type RequestRow = RowOf<Execution, (typeof members)[number]>;

const requestsById = tenantStatement(
  "execution_requests",
  `select ${columnsOf(Execution, members)}
   from executions where tenant_id = scope.tenant and execution_id = any($2::uuid[])`,
);

type Requests = ReadonlyMap<string, ShownRequest>;

/** The executions of one event-loop turn, which are read together. */
interface Turn {
  readonly executions: Map<string, ExecutionType>;
  readonly requests: Promise<Requests>;
}

/** Shows what executions were asked for, to those who may see it and without the values that nobody may read. */
export class ExecutionRequestReader {
  readonly #database: Database;
  readonly #turns = new WeakMap<RequestContext, Turn>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Null for a caller without `templates.read` who has not asked for the execution. */
  async shown(context: RequestContext, execution: ExecutionType): Promise<ShownRequest | null> {
    const turn = this.#turns.get(context) ?? this.#nextTurn(context);
    turn.executions.set(execution.executionId, execution);
    return (await turn.requests).get(execution.executionId) ?? null;
  }

  #nextTurn(context: RequestContext): Turn {
    const executions = new Map<string, ExecutionType>();
    const requests = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#turns.delete(context);
      return this.#read(context, [...executions.values()]);
    });
    const turn = { executions, requests };
    this.#turns.set(context, turn);
    return turn;
  }

  async #read(context: RequestContext, executions: readonly ExecutionType[]): Promise<Requests> {
    const tenant = tenantOf(context);
    const shownRows = (await this.#rows(tenant, executions)).filter((row) => maySee(context, row));
    const revisions = shownRows.filter(hasParameters).map((row) => ({
      templateVersionUuid: row.template_version_id,
      revision: row.template_revision,
    }));
    const schemas = await parameterSchemas(this.#database.reader, tenant, revisions);
    return longWork.begin(tenant.tenantId, shownRequests(shownRows, schemas));
  }

  async #rows(tenant: Tenant, executions: readonly ExecutionType[]): Promise<readonly RequestRow[]> {
    const readRows = executions.flatMap((execution) => rowBehind(execution) ?? []);
    const others = executions.filter((execution) => rowBehind(execution) === undefined);
    if (others.length === 0) return readRows;
    const uuids = others.map(({ executionId }) => decodeId("exe", executionId));
    return [...readRows, ...(await this.#database.reader.rows<RequestRow>(requestsById, tenant, uuids))];
  }
}

/** Lets other requests go on between two rows, since a schema may need much work. */
function* shownRequests(rows: readonly RequestRow[], schemas: ParameterSchemas): PausableWork<Requests> {
  const requests = new Map<string, ShownRequest>();
  for (const row of rows) {
    if (requests.size > 0) yield;
    requests.set(encodeId("exe", row.execution_id), { ...withoutSecrets(row, schemas), libraries: row.libraries });
  }
  return requests;
}

/** A token that is bound to an agent task sees what was asked for in that task only. */
function maySee(context: RequestContext, { requested_by, agent_task_id }: RequestRow): boolean {
  const principal = principalOf(context);
  if (principal.scopes.has("templates.read")) return true;
  if (context.isShared) return false;
  const { subject, agentTaskId } = principal;
  return subject === requested_by && (agentTaskId === undefined || agentTaskId === agent_task_id);
}

function withoutSecrets(row: RequestRow, schemas: ParameterSchemas): ShownParameters {
  if (!hasParameters(row)) return { parameters: {}, withheld: [] };
  const key = revisionKey({ templateVersionUuid: row.template_version_id, revision: row.template_revision });
  return schemas.has(key) ? withoutWriteOnlyValues(schemas.get(key), row.parameters) : withheldAltogether;
}

const hasParameters = ({ parameters }: RequestRow) => Object.keys(parameters).length > 0;
