import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const revision = "2026-07-28";

export interface ReceivedCall {
  readonly method: string;
  readonly params: {
    readonly name?: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
  readonly headers: IncomingHttpHeaders;
}

/** Answers a call of a tool. It may write events to the stream before it ends it. */
type ToolBody = (call: ReceivedCall, stream: ToolStream) => void;

export interface ToolStream {
  readonly response: ServerResponse;
  progress(value: number): void;
  end(result: object): void;
}

/** A tool server of the tests that speaks the revision 2026-07-28 over HTTP, without state. */
export interface OwnServer {
  readonly url: string;
  readonly received: ReceivedCall[];
  tools: object[];
  ttlMs: number;
  /** The answer to requests without this header value is 401, where it is set. */
  authorization: string | undefined;
  onCall: ToolBody;
  /** Is awaited before a list of tools is answered. */
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
      if (own.authorization !== undefined && request.headers.authorization !== own.authorization) {
        response.writeHead(401).end();
        return;
      }
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      const call: ReceivedCall = { method, params, headers: request.headers };
      own.received.push(call);
      if (method === "tools/call") {
        own.onCall(call, streamOf(response, id, params?._meta?.progressToken));
        return;
      }
      const ready = method === "tools/list" ? own.beforeList() : Promise.resolve();
      void ready.then(() => {
        const result = resultOf(method);
        const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    });
  });
  const cached = () => ({ resultType: "complete", ttlMs: own.ttlMs, cacheScope: "private" });
  const resultOf = (method: string) => {
    if (method === "server/discover")
      return { ...cached(), supportedVersions: [revision], capabilities: { tools: {} } };
    return method === "tools/list" ? { ...cached(), tools: own.tools } : undefined;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own: OwnServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received: [],
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
  return own;
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
