import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type {
  DeepPartial,
  LeftOutTool,
  ListToolsRequest,
  ListToolsResponse,
  Tool,
} from "@factory/schema/proto/generated/factory/tool/v1/tools";
import type { ConnectionRecord } from "../../connections/connections/connection.view.js";
import { isAllowedTool } from "./allowed-tools.js";
import { type AttendingCall, maxCallSeconds } from "./attended-runs.js";
import { callableConnection, tenantOfToolCaller } from "./callable-connection.js";
import type { StoredTool } from "./definition-store.js";
import { readDefinition } from "./definitions.js";
import type { ToolParts } from "./invoke-tool.js";
import { qualifiedName } from "./qualified-name.js";
import { namesOfServers } from "./server-names.js";

type Page = DeepPartial<ListToolsResponse>;

/** A place in a tenant's lists: a connection's tools after a name, or from its first one. */
interface Place {
  readonly connectionId: string;
  readonly after: string | null;
}

const tokenForm = /^(con_[0-9a-z]{26}):([\w-]{0,700})$/;
const maxPageTools = 64;
const maxPageBytes = 512 * 1024;

/** Lists the tools that tool servers offer. */
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
    const servers = await namesOfServers(this.#database.reader, tenant);
    const { connectionId } = request;
    if (connectionId === "") return this.#ofAll(context, call, [...servers], place);
    if (place && place.connectionId !== connectionId) throw wrongToken();
    const connection = await callableConnection(this.#parts, tenant, connectionId, "tools.list");
    const server = servers.get(connectionId) ?? "";
    return this.#page(context, call, { tenant, connection, server, after: place?.after ?? null });
  }

  /** Lists all connections' tools. Each page has one connection's tools; the oldest connection comes first. */
  async #ofAll(
    context: RequestContext,
    call: AttendingCall,
    all: readonly (readonly [connectionId: string, server: string])[],
    place: Place | undefined,
  ): Promise<Page> {
    const tenant = tenantOf(context);
    const at = place ? all.findIndex(([id]) => id >= place.connectionId) : 0;
    const [current, next] = at === -1 ? [] : all.slice(at, at + 2);
    if (!current) return { tools: [] };
    const [id, server] = current;
    const after = id === place?.connectionId ? place.after : null;
    const following = next ? tokenOf({ connectionId: next[0], after: null }) : "";
    try {
      const connection = await callableConnection(this.#parts, tenant, id, "tools.list");
      const page = await this.#page(context, call, { tenant, connection, server, after });
      return { ...page, nextPageToken: page.nextPageToken || following };
    } catch (error) {
      if (!(error instanceof DomainError) || call.signal.aborted) throw error;
      const skippedConnection = { connectionId: id, code: error.code, detail: error.message };
      return { tools: [], skipped: skippedConnection, nextPageToken: following };
    }
  }

  async #page(
    context: RequestContext,
    call: AttendingCall,
    position: { tenant: Tenant; connection: ConnectionRecord; server: string; after: string | null },
  ): Promise<Page> {
    const { tenant, connection, server, after } = position;
    const { store } = this.#parts;
    const { connectionId, configuration } = connection;
    if (after === null && !(await store.isFresh(tenant, connectionId))) await this.#refresh(context, call, connection);
    const leftOut = after === null ? await this.#leftOut(tenant, connectionId) : [];
    const storedTools = await store.after(tenant, connectionId, after, maxPageTools);
    const tools: Tool[] = [];
    let bytes = 0;
    let last = after;
    for (const tool of storedTools) {
      bytes += Buffer.byteLength(tool.definition);
      if (tools.length > 0 && bytes > maxPageBytes)
        return { tools, leftOut, nextPageToken: tokenOf({ connectionId, after: last }) };
      if (isAllowedTool(configuration, tool.name)) tools.push(shown(connectionId, server, tool));
      last = tool.name;
    }
    const nextPageToken = storedTools.length === maxPageTools ? tokenOf({ connectionId, after: last }) : "";
    return { tools, leftOut, nextPageToken };
  }

  async #leftOut(tenant: Tenant, connectionId: string): Promise<LeftOutTool[]> {
    const leftOut = await this.#parts.store.leftOut(tenant, connectionId);
    return leftOut.map(({ toolName, reason }) => ({ connectionId, serverToolName: toolName, reason }));
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
    definitionHash: tool.definitionHash,
    definitionChanged: tool.definitionHash !== tool.acceptedHash,
  };
}

const tokenOf = ({ connectionId, after }: Place): string =>
  `${connectionId}:${Buffer.from(after ?? "").toString("base64url")}`;

function readToken(token: string): Place {
  const [, connectionId = "", name = ""] = tokenForm.exec(token) ?? [];
  if (connectionId === "") throw wrongToken();
  // No tool has an empty name, or one with the character NUL.
  const after = Buffer.from(name, "base64url").toString().replaceAll("\0", "");
  return { connectionId, after: after === "" ? null : after };
}

const wrongToken = () =>
  new DomainError("VALIDATION_FAILED", {
    detail: "The page token is not valid. Send next_page_token of the page before, or none.",
    errors: [{ pointer: "/pageToken", code: "FORMAT", detail: "The value must be a next_page_token." }],
  });
