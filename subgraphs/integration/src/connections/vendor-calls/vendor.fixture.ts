import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";

interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer to a request. `never`: the vendor takes the request and is silent. */
type VendorAnswer = { status?: number; headers?: Record<string, string>; body?: string } | "never";

export interface VendorServer {
  readonly origin: string;
  readonly requests: ReceivedRequest[];
  answer: (request: ReceivedRequest) => VendorAnswer;
  /** Takes requests below this path instead of `answer`. */
  serve(path: string, listener: RequestListener): void;
  close(): Promise<void>;
}

/** A vendor on a loopback port, over TLS when options for it are given. */
export async function aVendorServer(tls?: ServerOptions): Promise<VendorServer> {
  const requests: ReceivedRequest[] = [];
  const listeners = new Map<string, RequestListener>();
  const listener: RequestListener = (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const handler = [...listeners].find(([below]) => path.startsWith(below))?.[1];
    if (handler) {
      handler(request, response);
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const receivedRequest = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(receivedRequest);
      const answer = vendor.answer(receivedRequest);
      if (answer !== "never") response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const vendor: VendorServer = {
    origin: `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: () => ({}),
    serve: (path, handler) => void listeners.set(path, handler),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return vendor;
}
