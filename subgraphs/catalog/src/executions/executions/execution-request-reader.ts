import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import {
  type ShownParameters,
  withheldAltogether,
  withoutWriteOnlyValues,
} from "../../templates/parameters/write-only-values.js";
import { type ParameterSchemas, parameterSchemas, revisionKey } from "./parameter-schemas-statement.js";
import { Execution, type RequestedLibrary } from "./record/execution.entity.js";

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

/** Longer work than this lets other requests go on. */
const maxTurnMs = 5;

type Requests = ReadonlyMap<string, ShownRequest>;

/** The executions of one event-loop turn, which are read together. */
interface Turn {
  readonly ids: Set<string>;
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
  async shown(context: RequestContext, executionId: string): Promise<ShownRequest | null> {
    const turn = this.#turns.get(context) ?? this.#nextTurn(context);
    turn.ids.add(executionId);
    return (await turn.requests).get(executionId) ?? null;
  }

  #nextTurn(context: RequestContext): Turn {
    const ids = new Set<string>();
    const requests = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#turns.delete(context);
      return this.#read(context, ids);
    });
    const turn = { ids, requests };
    this.#turns.set(context, turn);
    return turn;
  }

  async #read(context: RequestContext, ids: ReadonlySet<string>): Promise<Requests> {
    const tenant = tenantOf(context);
    const uuids = [...ids].map((id) => decodeId("exe", id));
    const rows = await this.#database.reader.rows<RequestRow>(requestsById, tenant, uuids);
    const shownRows = rows.filter((row) => maySee(context, row));
    const revisions = shownRows.filter(hasParameters).map((row) => ({
      templateVersionUuid: row.template_version_id,
      revision: row.template_revision,
    }));
    const schemas = await parameterSchemas(this.#database.reader, tenant, revisions);
    const requests = new Map<string, ShownRequest>();
    let began = performance.now();
    for (const row of shownRows) {
      if (performance.now() - began > maxTurnMs) {
        await new Promise((resolve) => setImmediate(resolve));
        began = performance.now();
      }
      requests.set(encodeId("exe", row.execution_id), { ...withoutSecrets(row, schemas), libraries: row.libraries });
    }
    return requests;
  }
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
