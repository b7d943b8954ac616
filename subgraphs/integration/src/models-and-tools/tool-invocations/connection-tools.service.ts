import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import type { ConnectionRecord } from "../../connections/connections/connection.view.js";
import { unknownConnection } from "../../connections/connections/locked-connection.js";
import { isAllowed } from "./allowed-tools.js";
import type { ConnectionToolConnection, ConnectionToolType, ToolState } from "./connection-tool.type.js";
import type { DefinitionStore } from "./definition-store.js";
import { readDefinition } from "./definitions.js";
import { qualifiedName } from "./qualified-name.js";
import { namesOfServers } from "./server-names.js";

/** The list of the tools of a connection, which is $2. */
export const sortedTools = new SortedList<ConnectionToolType, TenantStatement>({
  list: "connection_tools",
  columns: { toolName: { column: "name", type: "text", unique: true, of: ({ toolName }) => toolName } },
  id: { column: "name", type: "text", of: ({ toolName }) => toolName },
  byDefault: "toolName",
  firstParameter: 3,
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select name, part, definition, definition_hash, accepted_hash, position from tools
       where tenant_id = scope.tenant and connection_id = $2 ${after} order by ${order} limit ${limit}`,
    ),
});

interface ToolRow {
  readonly name: string;
  readonly part: string;
  readonly definition: string;
  readonly definition_hash: string;
  readonly accepted_hash: string;
  readonly position: number | null;
}

interface Services {
  readonly database: Database;
  readonly connections: ConnectionService;
  readonly store: DefinitionStore;
  readonly cursors: CursorSeal;
}

/** Shows people the tools of a connection as they were last listed. The server is not asked. */
export class ConnectionToolsService {
  readonly #database: Database;
  readonly #connections: ConnectionService;
  readonly #store: DefinitionStore;
  readonly #cursors: CursorSeal;

  constructor({ database, connections, store, cursors }: Services) {
    this.#database = database;
    this.#connections = connections;
    this.#store = store;
    this.#cursors = cursors;
  }

  /** Throws CONNECTION_NOT_FOUND. */
  async list(
    context: RequestContext,
    connectionId: string,
    request: PageRequest<never>,
  ): Promise<ConnectionToolConnection> {
    const tenant = tenantOf(context);
    const { reader } = this.#database;
    const connection = await this.#connections.record(tenant, connectionId);
    if (!connection) throw unknownConnection();
    const page = sortedTools.page(this.#cursors, { tenantId: tenant.tenantId, connectionId }, request);
    const rows = await reader.rows<ToolRow>(page.statement, tenant, decodeId("con", connectionId), ...page.values);
    const server = (await namesOfServers(reader, tenant)).get(connectionId);
    const leftOut = await this.#store.leftOut(tenant, connectionId);
    return { ...page.connection(rows.map((row) => viewOf(row, connection, server))), leftOut };
  }
}

function viewOf(row: ToolRow, connection: ConnectionRecord, server: string | undefined): ConnectionToolType {
  const { title, description, inputSchema, outputSchema, annotations } =
    row.position === null ? {} : readDefinition(row.definition);
  return {
    connectionId: connection.connectionId,
    toolName: row.name,
    qualifiedName: server === undefined ? null : qualifiedName(server, row.part),
    state: stateOf(row, connection),
    definitionHash: row.definition_hash,
    acceptedHash: row.accepted_hash,
    title: title ?? null,
    description: description ?? null,
    inputSchema: inputSchema ?? null,
    outputSchema: outputSchema ?? null,
    annotations: annotations ?? null,
  };
}

function stateOf(row: ToolRow, { configuration }: ConnectionRecord): ToolState {
  if (row.position === null) return "Removed";
  if (!isAllowed(configuration, row.name)) return "NotAllowed";
  return row.definition_hash === row.accepted_hash ? "Allowed" : "Changed";
}
