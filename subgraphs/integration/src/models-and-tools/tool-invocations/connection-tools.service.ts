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
import { isAllowedTool } from "./allowed-tools.js";
import type { ConnectionToolConnection, ConnectionToolType, ToolState } from "./connection-tool.type.js";
import { type DefinitionStore, readTool, type StoredTool, type ToolRow, toolColumns } from "./definition-store.js";
import { readDefinition } from "./definitions.js";
import { qualifiedName } from "./qualified-name.js";
import { namesOfServers } from "./server-names.js";

/** The list with a connection's tools. */
export const sortedTools = new SortedList<ConnectionToolType, TenantStatement>({
  list: "connection_tools",
  columns: { toolName: { column: "name", type: "text", unique: true, of: ({ toolName }) => toolName } },
  id: { column: "name", type: "text", of: ({ toolName }) => toolName },
  byDefault: "toolName",
  parameters: ["connection"],
  statement: (name, { place, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${toolColumns} from tools
       where tenant_id = scope.tenant and connection_id = ${place("connection")} ${after}
       order by ${order} limit ${limit}`,
    ),
});

interface Services {
  readonly database: Database;
  readonly connections: ConnectionService;
  readonly store: DefinitionStore;
  readonly cursors: CursorSeal;
}

/** Shows people a connection's tools as they were last listed. The server is not asked. */
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
    const scope = { tenantId: tenant.tenantId, connectionId };
    const page = sortedTools.page(this.#cursors, scope, request, { connection: decodeId("con", connectionId) });
    const rows = await reader.rows<ToolRow>(page.statement, tenant, ...page.values);
    const server = (await namesOfServers(reader, tenant)).get(connectionId);
    const leftOut = await this.#store.leftOut(tenant, connectionId);
    return { ...page.connection(rows.map((row) => viewOf(readTool(row), connection, server))), leftOut };
  }
}

function viewOf(tool: StoredTool, connection: ConnectionRecord, server: string | undefined): ConnectionToolType {
  const { title, description, inputSchema, outputSchema, annotations } =
    tool.position === null ? {} : readDefinition(tool.definition);
  return {
    connectionId: connection.connectionId,
    toolName: tool.name,
    qualifiedName: server === undefined ? null : qualifiedName(server, tool.part),
    state: stateOf(tool, connection),
    definitionHash: tool.definitionHash,
    acceptedHash: tool.acceptedHash,
    title: title ?? null,
    description: description ?? null,
    inputSchema: inputSchema ?? null,
    outputSchema: outputSchema ?? null,
    annotations: annotations ?? null,
  };
}

function stateOf(tool: StoredTool, { configuration }: ConnectionRecord): ToolState {
  if (tool.position === null) return "Removed";
  if (!isAllowedTool(configuration, tool.name)) return "NotAllowed";
  return tool.definitionHash === tool.acceptedHash ? "Allowed" : "Changed";
}
