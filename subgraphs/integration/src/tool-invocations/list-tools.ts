import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type {
  DeepPartial,
  ListToolsRequest,
  ListToolsResponse,
  Tool,
} from "@factory/schema/proto/generated/factory/tool/v1/tools";
import type { ConnectionRecord } from "../connections/connection.view.js";
import { isAllowed } from "./allowed-tools.js";
import { type AttendingCall, maxCallSeconds } from "./attended-runs.js";
import { callableConnection, tenantOfToolCaller } from "./callable-connection.js";
import type { StoredTool } from "./definition-store.js";
import { readDefinition } from "./definitions.js";
import type { ToolParts } from "./invoke-tool.js";
import { qualifiedName, serverParts } from "./qualified-name.js";
import { type ToolConnectionRow, toolConnections } from "./tool-connections-statement.js";

type Page = DeepPartial<ListToolsResponse>;

/** A place in the lists of a tenant: the tools of a connection from a position. */
interface Place {
  readonly connectionId: string;
  readonly position: number;
}

const tokenForm = /^(con_[0-9a-z]{26}):(\d{1,4})$/;
const maxPageTools = 64;
const maxPageBytes = 512 * 1024;

/** Lists the tools of tool servers. */
export class ListTools {
  readonly #database: Database;
  readonly #parts: ToolParts;

  constructor(database: Database, parts: ToolParts) {
    this.#database = database;
    this.#parts = parts;
  }

  async list(context: RequestContext, request: ListToolsRequest, call: AttendingCall): Promise<Page> {
    const tenant = tenantOfToolCaller(context);
    const place = request.pageToken === "" ? undefined : readToken(request.pageToken);
    const rows = await this.#database.reader.rows<ToolConnectionRow>(toolConnections, tenant);
    const servers = serverParts(
      rows.map((row) => ({ connectionId: encodeId("con", row.connection_id), displayName: row.display_name })),
    );
    const { connectionId } = request;
    if (connectionId !== "") {
      const connection = await callableConnection(this.#parts, tenant, connectionId, "tools.list");
      const server = servers.get(connectionId) ?? "";
      return this.#page(context, call, { tenant, connection, server, position: place?.position ?? 0 });
    }
    const all = [...servers];
    const at = place ? all.findIndex(([id]) => id >= place.connectionId) : 0;
    const [current, next] = at === -1 ? [] : all.slice(at, at + 2);
    if (!current) return { tools: [] };
    const [id, server] = current;
    const position = id === place?.connectionId ? place.position : 0;
    const after = next ? tokenOf({ connectionId: next[0], position: 0 }) : "";
    try {
      const connection = await callableConnection(this.#parts, tenant, id, "tools.list");
      const page = await this.#page(context, call, { tenant, connection, server, position });
      return { ...page, nextPageToken: page.nextPageToken || after };
    } catch (error) {
      if (!(error instanceof DomainError) || call.signal.aborted) throw error;
      const skipped = { connectionId: id, code: error.code, detail: error.message };
      return { tools: [], skipped, nextPageToken: after };
    }
  }

  async #page(
    context: RequestContext,
    call: AttendingCall,
    wanted: { tenant: Tenant; connection: ConnectionRecord; server: string; position: number },
  ): Promise<Page> {
    const { tenant, connection, server, position } = wanted;
    const { store } = this.#parts;
    const { connectionId, configuration } = connection;
    if (position === 0 && !(await store.isFresh(tenant, connectionId))) await this.#refresh(context, call, connection);
    const stored = await store.from(tenant, connectionId, position, maxPageTools);
    const tools: Tool[] = [];
    let bytes = 0;
    for (const tool of stored) {
      bytes += tool.definition.length;
      if (tools.length > 0 && bytes > maxPageBytes)
        return { tools, nextPageToken: tokenOf({ connectionId, position: tool.position }) };
      if (isAllowed(configuration, tool.name)) tools.push(shown(connectionId, server, tool));
    }
    const last = stored.length === maxPageTools ? stored.at(-1) : undefined;
    return { tools, nextPageToken: last ? tokenOf({ connectionId, position: last.position + 1 }) : "" };
  }

  async #refresh(context: RequestContext, call: AttendingCall, connection: ConnectionRecord): Promise<void> {
    const { runs, servers, refresh } = this.#parts;
    await runs.run({ ...context, idempotencyKey: undefined }, call, {
      ...{ operation: "ListTools", connection, given: {}, payload: {} },
      work: async (target, signal) => {
        const limits = { signal, timeoutMs: maxCallSeconds * 1000 };
        const tools = await servers.use(target, limits, (session) => refresh.refresh(session, target));
        return { answer: undefined, result: { tools } };
      },
    });
  }
}

function shown(connectionId: string, server: string, tool: StoredTool): Tool {
  const { title, description, inputSchema, outputSchema, annotations } = readDefinition(tool.definition);
  const json = (value: unknown) => (value === undefined ? "" : JSON.stringify(value));
  return {
    connectionId,
    name: qualifiedName(server, tool.part),
    serverToolName: tool.name,
    title: title ?? "",
    description: description ?? "",
    inputSchemaJson: json(inputSchema),
    outputSchemaJson: json(outputSchema),
    annotationsJson: json(annotations),
    definitionHash: tool.definition_hash,
    definitionChanged: tool.definition_hash !== tool.accepted_hash,
  };
}

const tokenOf = ({ connectionId, position }: Place): string => `${connectionId}:${position}`;

function readToken(token: string): Place {
  const [, connectionId = "", position] = tokenForm.exec(token) ?? [];
  if (connectionId === "")
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The page token is not valid. Send next_page_token of the page before, or none.",
      errors: [{ pointer: "/pageToken", code: "FORMAT", detail: "The value must be a next_page_token." }],
    });
  return { connectionId, position: Number(position) };
}
