import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ConnectionFilterInput } from "./connection.input.js";
import { connectionHealths, connectionStates } from "./connection.states.js";
import type { ConnectionType } from "./connection.type.js";
import { type ConnectionRow, connectionColumns, connectionView, readConnection } from "./connection.view.js";

const listedStates = Object.keys(connectionStates).filter((state) => state !== "Deleted");

/** The list of a tenant's connections. Deleted ones are not listed. */
export const sortedConnections = new SortedList<ConnectionType, TenantStatement>({
  list: "connections",
  columns: {
    displayName: { column: "display_name", type: "text", of: ({ displayName }) => displayName },
    establishedAt: { column: "established_at", type: "timestamptz", of: ({ establishedAt }) => establishedAt },
  },
  id: { column: "connection_id", type: "uuid", of: ({ connectionId }) => decodeId("con", connectionId) ?? "" },
  byDefault: "displayName",
  // The cursors of earlier releases are bound to the provider's UUID, so it is not a filter.
  parameters: ["provider"],
  filters: {
    projectId: textFilter("project_id"),
    status: enumFilter(listedStates, "status"),
    health: enumFilter(connectionHealths, "health"),
  },
  statement: (name, { place, filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${connectionColumns} from connections where tenant_id = scope.tenant and status <> 'Deleted'
         and (${place("provider")}::uuid is null or provider_id = ${place("provider")}) ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists the connections of a tenant in pages. */
export class ConnectionListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  async list(
    context: RequestContext,
    request: PageRequest<ConnectionFilterInput>,
  ): Promise<Connection<ConnectionType>> {
    const tenant = tenantOf(context);
    const providerId = request.filter?.providerId;
    const provider = providerId == null ? null : (decodeId("prv", providerId) ?? nilUuid);
    const scope = { tenantId: tenant.tenantId, provider };
    const page = sortedConnections.page(this.#cursors, scope, request, { provider });
    const rows = await this.#database.reader.rows<ConnectionRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map((row) => connectionView(readConnection(row))));
  }
}
