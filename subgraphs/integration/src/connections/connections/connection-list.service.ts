import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ConnectionFilterInput } from "./connection.input.js";
import { connectionHealths, connectionStates } from "./connection.states.js";
import type { ConnectionType } from "./connection.type.js";
import { type ConnectionRow, connectionColumns, connectionRecord, connectionView } from "./connection.view.js";

/** The list of a tenant's connections. Deleted ones are not listed. */
export const sortedConnections = new SortedList<ConnectionType, TenantStatement>({
  list: "connections",
  columns: {
    displayName: { column: "display_name", type: "text", of: ({ displayName }) => displayName },
    establishedAt: { column: "established_at", type: "timestamptz", of: ({ establishedAt }) => establishedAt },
  },
  id: { column: "connection_id", type: "uuid", of: ({ connectionId }) => decodeId("con", connectionId) ?? "" },
  byDefault: "displayName",
  firstParameter: 6,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select ${connectionColumns} from connections where tenant_id = scope.tenant and status <> 'Deleted'
         and ($2::uuid is null or provider_id = $2) and ($3::text is null or project_id = $3)
         and ($4::text is null or status = $4) and ($5::text is null or health = $5) ${after}
       order by ${order} limit ${limit}`,
    ),
});

const listedStates = Object.keys(connectionStates).filter((state) => state !== "Deleted");
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
    const { providerId = null, projectId = null, status = null, health = null } = request.filter ?? {};
    const problems: InvalidEnumValue[] = [];
    if (status !== null && !listedStates.includes(status))
      problems.push({ pointer: "/filter/status", allowed: listedStates });
    if (health !== null && !connectionHealths.some((known) => known === health))
      problems.push({ pointer: "/filter/health", allowed: connectionHealths });
    if (problems.length > 0) throw invalidEnumValue(problems);
    const provider = providerId === null ? null : (decodeId("prv", providerId) ?? nilUuid);
    const scope = { tenantId: tenant.tenantId, provider, projectId, status, health };
    const page = sortedConnections.page(this.#cursors, scope, request);
    const values = [provider, projectId, status, health, ...page.values];
    const rows = await this.#database.reader.rows<ConnectionRow>(page.statement, tenant, ...values);
    return page.connection(rows.map((row) => connectionView(connectionRecord(row))));
  }
}
