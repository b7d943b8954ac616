import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolInvocationDefinition } from "@factory/schema/proto/generated/factory/tool/v1/tools";
import { aConnection } from "./connections.js";
import { GrpcChannels } from "./grpc-channels.js";
import { aProvider } from "./providers.js";

interface ToolServer {
  readonly url: string;
  /** How many tool calls there were so far. */
  readonly calls: number;
  /** Changes both tools' definitions. */
  describe(description: string): void;
  close(): Promise<void>;
}

/** A tool server (Model Context Protocol, revision 2026-07-28) with the tools `works` and `fails`. */
async function aToolServer(): Promise<ToolServer> {
  let description = "A tool.";
  let calls = 0;
  const tool = (name: string) => ({ name, description, inputSchema: { type: "object" } });
  const cacheMembers = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const answers: Readonly<Record<string, (name: string) => object>> = {
    "server/discover": () => ({ ...cacheMembers, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }),
    "tools/list": () => ({ ...cacheMembers, tools: [tool("works"), tool("fails")] }),
    "tools/call": (name) => ({ resultType: "complete", content: [], isError: name === "fails" }),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    if (method === "tools/call") calls += 1;
    const result = answers[method]?.(params?.name);
    const error = { code: -32601, message: "Method not found" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    get calls() {
      return calls;
    },
    describe(other) {
      description = other;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * A connection to a tool server whose tools were listed and invoked once each. Then the server has changed them; the
 * new hash for the tool `works` waits to be accepted.
 */
export async function aUsedToolServer(token: string, key = "tools") {
  const [server, channels] = [await aToolServer(), new GrpcChannels()];
  try {
    const capabilities = ["tools.list", "tools.invoke"];
    const providerId = await aProvider(token, { key, category: "Tool", baseUrl: server.url, capabilities });
    const connectionId = await aConnection(token, providerId, { authMode: "None" });
    const client = (await channels.as("product")).client(ToolInvocationDefinition);
    const options = { headers: { authorization: `Bearer ${token}` } };
    await client.listTools({ connectionId }, options);
    for (const name of ["works", "fails"]) await client.invokeTool({ connectionId, name }, options);
    server.describe("Another tool.");
    const { tools } = await client.listTools({ connectionId }, options);
    const changedTool = tools.find(({ serverToolName }) => serverToolName === "works");
    return { connectionId, definitionHash: changedTool?.definitionHash ?? "" };
  } finally {
    channels.close();
    await server.close();
  }
}
