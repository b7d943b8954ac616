import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter, idFilter, textFilter } from "@factory/runtime/pagination/list-filters";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ConnectionFilterInput } from "./connection.input.js";
import { connectionStates } from "./connection.states.js";
import type { ConnectionType } from "./connection.type.js";
import { type ConnectionRow, connectionColumns, connectionView, readConnection } from "./connection.view.js";

const listedStates = Object.keys(connectionStates).filter((state) => state !== "Deleted");

/** The list that a tenant has. Deleted connections are not listed. */
export const sortedConnections = new SortedList<ConnectionType, TenantStatement>({
  list: "connections",
  columns: {
    displayName: { column: "display_name", type: "text", of: ({ displayName }) => displayName },
    establishedAt: { column: "established_at", type: "timestamptz", of: ({ establishedAt }) => establishedAt },
  },
  id: { column: "connection_id", type: "uuid", of: ({ connectionId }) => decodeId("con", connectionId) ?? "" },
  byDefault: "displayName",
  filters: {
    providerId: idFilter("prv", "provider_id"),
    projectId: textFilter("project_id"),
    status: enumFilter(listedStates, "status"),
    health: textFilter("health"),
  },
  boundTo: ({ providerId: provider, ...others }) => ({ provider, ...others }),
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${connectionColumns} from connections where tenant_id = scope.tenant and status <> 'Deleted'
         ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

/** Lists a tenant's connections in pages. */
export class ConnectionListService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  list(context: RequestContext, request: PageRequest<ConnectionFilterInput>): Promise<Connection<ConnectionType>> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedConnections, list, request, (row: ConnectionRow) => connectionView(readConnection(row)));
  }
}
