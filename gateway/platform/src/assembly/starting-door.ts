import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { continueTrace, type Trace, traceparent } from "@factory/runtime/telemetry/trace";
import { waits } from "@factory/runtime/telemetry/waits";
import { errorCodes } from "@factory/schema/error-codes";

const answerMs = 1000;

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens for the platform until it has started: `/livez` answers that the process lives, `/readyz` tells what the
 * start waits for, and other requests get 503. It takes the public address only when the start waits: until then
 * connections are refused, so that a balancer tries another process.
 */
export class StartingDoor {
  readonly #servers = new Set<Server>();
  readonly #forget: () => void;
  #opening: Promise<void> = Promise.resolve();
  #closed = false;

  private constructor(publicAddress: Address) {
    this.#forget = waits.onBegin(() => {
      this.#opening = this.#opening.then(() => this.#openPublic(publicAddress));
    });
  }

  /** Rejects with the system error when an address cannot be taken. Port 0 is left out. */
  static async open(addresses: { readonly internal: Address; readonly public: Address }): Promise<StartingDoor> {
    await requireOwn(addresses.public.host);
    await requireFree(addresses.public);
    const door = new StartingDoor(addresses.public);
    try {
      if (addresses.internal.port !== 0) door.#servers.add(await listening(addresses.internal));
      return door;
    } catch (error) {
      await door.close();
      throw error;
    }
  }

  /** Frees the addresses. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#forget();
    await this.#opening;
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
    this.#servers.clear();
  }

  /** An address that cannot be taken any more is a problem for the platform, which listens later. */
  async #openPublic(address: Address): Promise<void> {
    if (this.#closed || this.#servers.size > 1 || address.port === 0) return;
    const server = await listening(address).catch(() => undefined);
    if (server) this.#servers.add(server);
  }
}

/** Rejects with EADDRNOTAVAIL or ENOTFOUND when this machine does not have the address. */
async function requireOwn(host: string): Promise<void> {
  const server = await listening({ host, port: 0 });
  server.close();
}

/**
 * Rejects with EADDRINUSE when somebody listens. It connects, because a momentary listener would reset the connections
 * that a balancer makes in that moment.
 */
async function requireFree({ host, port }: Address): Promise<void> {
  if (port === 0) return;
  const socket = connect({ host, port });
  const answers = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.setTimeout(answerMs, () => resolve(false));
  });
  socket.destroy();
  if (answers) throw Object.assign(new Error(`listen EADDRINUSE: ${host}:${port}`), { code: "EADDRINUSE" });
}

function listening({ host, port }: Address): Promise<Server> {
  const server = createServer({ requestTimeout: 5000, headersTimeout: 5000, requireHostHeader: false }, answer);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      // an accepted connection that fails concerns its caller alone
      server.off("error", reject).on("error", () => undefined);
      resolve(server);
    });
  });
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  if (path === "/livez") send(response, 200, { status: "alive" });
  else if (path === "/readyz") send(response, 503, { status: "not ready", checks: { start: progress() } });
  else {
    const trace = continueTrace(request.headers["traceparent"] as string | undefined);
    response.setHeader("x-trace-id", trace.traceId).setHeader("traceparent", traceparent(trace));
    send(response, 503, problem(path, trace));
  }
}

const progress = () => (waits.names.length === 0 ? "running" : `waits for ${waits.names.join(" and ")}`);

function problem(instance: string, { traceId }: Trace): object {
  const { status, title } = errorCodes.UNAVAILABLE;
  const detail = "The platform is starting. Try again in a moment.";
  return { type: "/problems/unavailable", title, status, detail, instance, code: "UNAVAILABLE", traceId };
}

/** Each answer ends its connection, so that the platform inherits none. */
function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "code" in body ? "application/problem+json" : "application/json; charset=utf-8",
    "cache-control": "no-store",
    connection: "close",
    ...(status === 503 && "code" in body ? { "retry-after": "1" } : {}),
  });
  response.end(response.req.method === "HEAD" ? undefined : JSON.stringify(body));
}
