import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { idFilter, sinceFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, type SortColumn, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { allRuns, latestRunOfDelivery, runsOfDelivery } from "./delivery-run-statement.js";
import type { RunFilterInput } from "./run.input.js";
import type { RunType } from "./run.type.js";
import { runRecord } from "./run-record.js";

const runId: SortColumn<RunType> = {
  column: "run_id",
  type: "uuid",
  unique: true,
  of: (run) => decodeId("run", run.runId) ?? "",
};

export const sortedRuns = new SortedList<RunType, TenantStatement>({
  list: "runs",
  // Run ids ascend with time.
  columns: { createdAt: runId },
  id: runId,
  byDefault: "-createdAt",
  parameters: ["from", "to"],
  filters: {
    status: textFilter("status"),
    operation: textFilter("operation"),
    connectionId: idFilter("con", "connection_id"),
    credentialId: idFilter("crd", "credential_id"),
    deliveryId: idFilter("whd", "delivery_id"),
    since: sinceFilter("created_at"),
  },
  statement: (name, { filters, place, after, order, limit }) =>
    tenantStatement(
      name,
      `select run.* from runs run where tenant_id = scope.tenant ${filters}
         and run_id between ${place("from")} and ${place("to")} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists a tenant's runs with filters and cursors. */
export class RunListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(context: RequestContext, request: PageRequest<RunFilterInput>): Promise<Connection<RunType>> {
    const tenant = tenantOf(context);
    const { reader } = this.#database;
    const delivery = decodeId("whd", request.filter?.deliveryId ?? "");
    const [from, to] = await this.#range(tenant, delivery);
    const list = { reader, cursors: this.#cursors, tenant, parameters: { from, to } };
    return readPage(sortedRuns, list, request, runRecord);
  }

  async #range(tenant: Tenant, delivery: string | undefined): Promise<readonly [string, string]> {
    if (delivery === undefined) return allRuns;
    const latest = await this.#database.reader.row<{ run_id: string }>(latestRunOfDelivery, tenant, delivery);
    return runsOfDelivery(delivery, latest?.run_id);
  }
}
