import { DomainError } from "@factory/runtime/errors/domain-error";
import { nearestNames } from "@factory/runtime/input-validation/nearest-names";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant } from "@factory/runtime/tenancy/tenant";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import type { VendorTarget } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import { isAllowedTool } from "./allowed-tools.js";
import { type AttendedRuns, type AttendingCall, maxCallSeconds } from "./attended-runs.js";
import { callableConnection, tenantOfToolCaller } from "./callable-connection.js";
import type { DefinitionStore, StoredTool } from "./definition-store.js";
import { readDefinition, type ToolDefinition } from "./definitions.js";
import { checkedInvocation, type Invocation } from "./invocation-request.js";
import type { ListRefresh } from "./list-refresh.js";
import { type ToolResult, toolResult } from "./results/tool-result.js";
import { mirroredArguments } from "./server-calls/mirrored-arguments.js";
import type { ToolServers, ToolSession } from "./server-calls/tool-servers.js";

/** The parts that work with tools. */
export interface ToolParts {
  readonly connections: ConnectionService;
  readonly providers: ProviderService;
  readonly store: DefinitionStore;
  readonly refresh: ListRefresh;
  readonly servers: ToolServers;
  readonly runs: AttendedRuns;
  /** How long there may be no answer and no sign of progress. */
  readonly idleMs: number;
}

const keyForm = /^[\x21-\x7e]{1,255}$/;

/** Invokes tools. Each call is a run, and is sent to the server once. */
export class InvokeTool {
  readonly #parts: ToolParts;

  constructor(parts: ToolParts) {
    this.#parts = parts;
  }

  async invoke(
    context: RequestContext,
    request: Parameters<typeof checkedInvocation>[0] & { readonly idempotencyKey: string },
    call: AttendingCall,
  ): Promise<ToolResult> {
    const tenant = tenantOfToolCaller(context);
    const invocation = checkedInvocation(request);
    const { connectionId, name, arguments: toolArguments } = invocation;
    const connection = await callableConnection(this.#parts, tenant, connectionId, "tools.invoke");
    const { agentTaskId = null } = principalOf(context);
    const [listedTool] = await this.#parts.store.named(tenant, connectionId, name);
    const keyedContext = { ...context, idempotencyKey: idempotencyKeyOf(context, request.idempotencyKey) };
    return this.#parts.runs.run(keyedContext, call, {
      ...{ operation: "InvokeTool", connection, given: { name, arguments: toolArguments } },
      payload: { toolName: listedTool?.name ?? name, agentTaskId },
      work: async (target, signal) => {
        const startedAt = performance.now();
        const { tool, answer } = await this.#call(target, signal, invocation);
        const { contentJson, structuredJson, isError, findings } = answer;
        const resultBytes = Buffer.byteLength(contentJson) + Buffer.byteLength(structuredJson);
        const durationMs = Math.round(performance.now() - startedAt);
        const findingCodes = findings.length > 0 && { findings: findings.map(({ code }) => code) };
        return { answer, result: { toolName: tool.name, isError, durationMs, resultBytes, ...findingCodes } };
      },
    });
  }

  async #call(
    target: VendorTarget,
    signal: AbortSignal,
    invocation: Invocation,
  ): Promise<{ readonly tool: StoredTool; readonly answer: ToolResult }> {
    const { store, servers, refresh, idleMs } = this.#parts;
    const isFresh = await store.isFresh(target.tenant, target.connection.connectionId);
    const freshTool = isFresh ? await this.#tool(target, invocation) : undefined;
    return servers.use(target, { signal, timeoutMs: maxCallSeconds * 1000 }, async (session) => {
      if (!freshTool) await refresh.refresh(session, target);
      const tool = freshTool ?? (await this.#tool(target, invocation));
      return { tool, answer: await callOnce(session, tool, invocation, idleMs) };
    });
  }

  /** The tool as the server has listed it. Throws TOOL_NOT_FOUND, TOOL_NOT_ALLOWED or TOOL_DEFINITION_CHANGED. */
  async #tool({ tenant, connection }: VendorTarget, { name }: Invocation): Promise<StoredTool> {
    const [tool, other] = await this.#parts.store.named(tenant, connection.connectionId, name);
    if (other)
      throw new DomainError("TOOL_NOT_FOUND", {
        detail:
          "The server calls one tool so, and this is the qualified name of another one. Use the other name of the tool, as ListTools shows it.",
      });
    if (!tool) throw await this.#unknownTool(tenant, connection, name);
    if (!isAllowedTool(connection.configuration, tool.name))
      throw new DomainError("TOOL_NOT_ALLOWED", {
        detail: "The setting allowedTools of the connection does not name this tool.",
      });
    if (tool.definitionHash !== tool.acceptedHash)
      throw new DomainError("TOOL_DEFINITION_CHANGED", {
        detail:
          "The server has changed the definition of the tool since it was accepted. Read the new definition, then accept it.",
        definitionHash: tool.definitionHash,
        acceptedHash: tool.acceptedHash,
      });
    return tool;
  }

  async #unknownTool(
    tenant: Tenant,
    { connectionId, configuration }: VendorTarget["connection"],
    name: string,
  ): Promise<DomainError> {
    const { store } = this.#parts;
    const leftOut = (await store.leftOut(tenant, connectionId)).find(({ toolName }) => toolName === name);
    if (leftOut)
      return new DomainError("TOOL_NOT_FOUND", {
        detail: `The server lists the tool with a definition that the platform does not offer. ${leftOut.reason}`,
      });
    const allowedNames = (await store.names(tenant, connectionId)).filter((toolName) =>
      isAllowedTool(configuration, toolName),
    );
    const [nearest] = nearestNames(name, allowedNames);
    const hint = nearest === undefined ? "List its tools to find the name." : `Did you mean ${nearest}?`;
    return new DomainError("TOOL_NOT_FOUND", {
      detail: `The server of the connection does not list a tool with this name. ${hint}`,
    });
  }
}

/** The result as it came. An error in the protocol's client after it, or at the end of the stream, changes nothing. */
async function callOnce(
  { client, options, facts }: ToolSession,
  tool: StoredTool,
  { name, arguments: toolArguments }: Invocation,
  idleMs: number,
): Promise<ToolResult> {
  const { outputSchema, ...definition } = withPlainNumbers(readDefinition(tool.definition)) as ToolDefinition;
  try {
    await client.callTool(
      { name: tool.name, arguments: mirroredArguments(toolArguments, definition.inputSchema) },
      {
        ...options,
        timeout: idleMs,
        resetTimeoutOnProgress: true,
        onprogress: () => undefined,
        // without its output schema, since the client would refuse a result for it
        toolDefinition: { ...definition, name },
      },
    );
  } catch (error) {
    if (!facts.result) throw error;
  }
  if (!facts.result) throw new Error("A call of a tool has ended without a result");
  return toolResult(facts.result.value, outputSchema !== undefined);
}

/** The request's key, or the metadata's. */
function idempotencyKeyOf(context: RequestContext, key: string): string | undefined {
  if (key === "") return context.idempotencyKey;
  const other = context.idempotencyKey ?? key;
  if (keyForm.test(key) && other === key) return key;
  throw new DomainError("IDEMPOTENCY_KEY_INVALID", {
    detail:
      "The idempotency key must be 1 to 255 printable ASCII characters without spaces, and the same in the request and the metadata.",
  });
}
