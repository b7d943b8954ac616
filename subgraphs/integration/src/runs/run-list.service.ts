import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { checkedTime } from "@factory/runtime/input-validation/checked-time";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { allRuns, latestRunOfDelivery, runsOfDelivery } from "./delivery-run-statement.js";
import type { RunFilterInput } from "./run.input.js";
import { runOperationNames, runStates } from "./run.states.js";
import type { RunType } from "./run.type.js";
import { type RunRow, runRecord } from "./run-record.js";

const runId: SortColumn<RunType> = {
  column: "run_id",
  type: "uuid",
  unique: true,
  of: (run) => decodeId("run", run.runId) ?? "",
};

export const sortedRuns = new SortedList<RunType, TenantStatement>({
  list: "runs",
  // The ids of runs ascend with time.
  columns: { createdAt: runId },
  id: runId,
  byDefault: "-createdAt",
  firstParameter: 10,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select run.* from runs run where tenant_id = scope.tenant
         and ($2::text is null or status = $2) and ($3::text is null or operation = $3)
         and ($4::uuid is null or connection_id = $4) and ($5::uuid is null or credential_id = $5)
         and ($6::uuid is null or delivery_id = $6) and ($7::timestamptz is null or created_at >= $7)
         and run_id between $8 and $9 ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists the runs of a tenant with filters and cursors. */
export class RunListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<RunFilterInput>): Promise<Connection<RunType>> {
    const tenant = tenantOf(context);
    const {
      status = null,
      operation = null,
      connectionId = null,
      credentialId = null,
      deliveryId = null,
      since = null,
    } = request.filter ?? {};
    requireKnown(status, operation);
    const from = since === null ? null : checkedTime(since, "/filter/since");
    const scope = { tenantId: tenant.tenantId, status, operation, connectionId, credentialId, deliveryId, since };
    const page = sortedRuns.page(this.#cursors, scope, request);
    const delivery = uuidOf("whd", deliveryId);
    const ids = [uuidOf("con", connectionId), uuidOf("crd", credentialId), delivery];
    // An id that is not well formed matches nothing.
    if (ids.includes(undefined)) return page.connection([]);
    const { reader } = this.#database;
    const values = [status, operation, ...ids, from, ...(await this.#range(tenant, delivery)), ...page.values];
    const rows = await reader.rows<RunRow>(page.statement, tenant, ...values);
    return page.connection(rows.map(runRecord));
  }

  async #range(tenant: Tenant, delivery: string | null | undefined): Promise<readonly [string, string]> {
    if (delivery == null) return allRuns;
    const latest = await this.#database.reader.row<{ run_id: string }>(latestRunOfDelivery, tenant, delivery);
    return runsOfDelivery(delivery, latest?.run_id);
  }
}

function uuidOf(prefix: "con" | "crd" | "whd", id: string | null): string | null | undefined {
  return id === null ? null : decodeId(prefix, id);
}

function requireKnown(status: string | null, operation: string | null): void {
  const broken: InvalidEnumValue[] = [];
  if (status !== null && !Object.hasOwn(runStates, status))
    broken.push({ pointer: "/filter/status", allowed: Object.keys(runStates) });
  if (operation !== null && !(runOperationNames as readonly string[]).includes(operation))
    broken.push({ pointer: "/filter/operation", allowed: runOperationNames });
  if (broken.length > 0) throw invalidEnumValue(broken);
}
