import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";

const revision = "2026-07-28";
const formerRevision = "2025-11-25";

interface ReceivedCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: {
    readonly name?: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
  readonly headers: IncomingHttpHeaders;
}

/** Answers a tool call. It may write events to the stream before it ends it. */
type ToolBody = (call: ReceivedCall, stream: ToolStream) => void;

interface ToolStream {
  readonly response: ServerResponse;
  progress(value: number): void;
  end(result: object): void;
}

/** The tests' tool server over HTTP, without state. It speaks the revision 2026-07-28 unless it is a former one. */
export interface OwnServer {
  readonly url: string;
  readonly received: ReceivedCall[];
  /** Whether it speaks the revision 2025-11-25. */
  isFormer: boolean;
  tools: unknown[];
  /** Further members in its lists. */
  listMembers: object;
  ttlMs: number;
  /** The answer to requests without this header value is 401, where it is set. */
  authorization: string | undefined;
  onCall: ToolBody;
  /** Is awaited before a tool list is answered. */
  beforeList: () => Promise<void>;
  close(): Promise<void>;
}

export const aTool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });

export const text = (value: string) => ({ content: [{ type: "text", text: value }] });

/** Starts the server on a loopback port. */
export async function anOwnServer(): Promise<OwnServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (ownServer.authorization !== undefined && request.headers.authorization !== ownServer.authorization) {
        response.writeHead(401).end();
        return;
      }
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      const message = parseForeignJson(Buffer.concat(chunks).toString());
      const { id, method, params } = message as Omit<ReceivedCall, "headers">;
      const call: ReceivedCall = { id, method, params, headers: request.headers };
      ownServer.received.push(call);
      if (method === "tools/call") {
        ownServer.onCall(call, streamOf(response, id, params?._meta?.progressToken));
        return;
      }
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const ready = method === "tools/list" ? ownServer.beforeList() : Promise.resolve();
      void ready.then(() => {
        const result = resultOf(method);
        const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    });
  });
  const cacheMembers = () =>
    ownServer.isFormer ? {} : { resultType: "complete", ttlMs: ownServer.ttlMs, cacheScope: "private" };
  const serverInfo = { name: "own", version: "1" };
  const resultOf = (method: string) => {
    if (method === "initialize" && ownServer.isFormer)
      return { protocolVersion: formerRevision, capabilities: { tools: {} }, serverInfo };
    if (method === "server/discover" && !ownServer.isFormer)
      return { ...cacheMembers(), supportedVersions: [revision], capabilities: { tools: {} } };
    return method === "tools/list"
      ? { ...cacheMembers(), tools: ownServer.tools, ...ownServer.listMembers }
      : undefined;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ownServer: OwnServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received: [],
    isFormer: false,
    listMembers: {},
    tools: [aTool("echo")],
    ttlMs: 0,
    authorization: undefined,
    onCall: ({ params }, stream) => stream.end(text(`${params.name} ${JSON.stringify(params.arguments)}`)),
    beforeList: async () => undefined,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return ownServer;
}

function streamOf(response: ServerResponse, id: unknown, progressToken: unknown): ToolStream {
  const send = (message: object) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  };
  return {
    response,
    progress: (progress) => send({ method: "notifications/progress", params: { progressToken, progress, total: 100 } }),
    end(result) {
      send({ id, result: { resultType: "complete", ...result } });
      response.end();
    },
  };
}
