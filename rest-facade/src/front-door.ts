import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { findClientAddress, type TrustedProxies } from "@factory/runtime/ingress/client-address";
import { continueTrace, type Trace, traceparent } from "@factory/runtime/telemetry/trace";
import { HttpRefusal, headersTooLarge, requestTimedOut, uriTooLong } from "./problem.js";
import type { Meter } from "./request-metrics.js";
import { answerWithProblem, closeWithProblem } from "./send-problem.js";

export const maxUrlLength = 8192;
/** RFC 6797. */
export const strictTransport = ["strict-transport-security", "max-age=31536000; includeSubDomains"] as const;

/** Requests below a prefix go to their owner untouched: no routing, no body parsing. */
export interface PassThrough {
  readonly prefix: `/${string}/`;
  readonly owner: (request: IncomingMessage, response: ServerResponse) => void;
  readonly meter: (method: string) => Meter;
}

export interface FrontDoorOptions {
  readonly proxies: TrustedProxies;
  readonly https: boolean;
  readonly passThrough: readonly PassThrough[];
  readonly upgrade:
    | { readonly path: string; accept(request: IncomingMessage, socket: Duplex, head: Buffer): void }
    | undefined;
}

/** The node server before fastify: limits, pass-through, upgrades, and what a stop has to wait for. */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  readonly #upgraded = new Set<Duplex>();
  #server: Server | undefined;
  #inFlight = 0;
  #closing = false;

  constructor(options: FrontDoorOptions) {
    this.#options = options;
  }

  get closing(): boolean {
    return this.#closing;
  }

  /** fastify's `serverFactory`. */
  open(routed: (request: IncomingMessage, response: ServerResponse) => void): Server {
    const released = () => this.#release();
    const server = createServer(
      {
        maxHeaderSize: 16 * 1024,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 2000,
        keepAliveTimeout: 65_000,
      },
      (request, response) => {
        this.#inFlight++;
        response.on("close", released);
        this.#receive(request, response, routed);
      },
    );
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
    this.#server = server;
    return server;
  }

  #receive(request: IncomingMessage, response: ServerResponse, routed: FrontDoorRequest): void {
    const url = originForm(request);
    findClientAddress(request, this.#options.proxies);
    if (url.length > maxUrlLength) answerWithProblem(response, uriTooLong(), continueTrace(undefined));
    else if (url === "*") response.writeHead(204, { allow: "GET, HEAD, POST, PUT, DELETE, OPTIONS" }).end();
    else {
      const owned = this.#options.passThrough.find(({ prefix }) => url.startsWith(prefix));
      if (owned) {
        if (this.#options.https) response.setHeader(...strictTransport);
        passOn(owned, request, response);
      } else routed(request, response);
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upgrade } = this.#options;
    const url = originForm(request);
    // nobody else listens to a socket that has left the http server
    socket.on("error", () => socket.destroy());
    if (!upgrade || url.split("?", 1)[0] !== upgrade.path) {
      refuseUpgrade(socket, new DomainError("NOT_FOUND", { detail: "No websocket is served here." }), url);
      return;
    }
    if (this.#closing) {
      refuseUpgrade(socket, new DomainError("UNAVAILABLE", { detail: "The platform is stopping." }), url);
      return;
    }
    this.#upgraded.add(socket);
    socket.once("close", () => this.#upgraded.delete(socket));
    findClientAddress(request, this.#options.proxies);
    try {
      upgrade.accept(request, socket, head);
    } catch (error) {
      refuseUpgrade(socket, error, url);
    }
  }

  #release(): void {
    this.#inFlight--;
    // a connection kept alive would hold the stop until its timeout
    if (this.#closing) setImmediate(() => this.#dismiss());
  }

  #dismiss(): void {
    this.#server?.closeIdleConnections();
    if (this.#inFlight === 0) for (const socket of this.#upgraded) socket.destroy();
  }

  /** `stop` closes the listener; whatever is still open after `timeoutMs` is cut. */
  async close(stop: () => Promise<unknown>, timeoutMs: number): Promise<void> {
    this.#closing = true;
    const stopped = stop();
    this.#dismiss();
    const deadline = setTimeout(() => {
      this.#server?.closeAllConnections();
      for (const socket of this.#upgraded) socket.destroy();
    }, timeoutMs);
    await stopped.finally(() => clearTimeout(deadline));
  }
}

const refusedUpgradeMs = 2000;

/** No time limit of the http server holds for a socket that has left it. */
function refuseUpgrade(socket: Duplex, error: unknown, url: string): void {
  closeWithProblem(socket, error, url);
  const deadline = setTimeout(() => socket.destroy(), refusedUpgradeMs);
  socket.once("close", () => clearTimeout(deadline));
}

type FrontDoorRequest = (request: IncomingMessage, response: ServerResponse) => void;

const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/** RFC 9112 section 3.2.2: a server accepts the absolute form too. */
function originForm(request: IncomingMessage): string {
  const url = request.url ?? "/";
  if (url.charCodeAt(0) === 0x2f || url === "*") return url;
  const path = url.replace(absoluteForm, "");
  request.url = path.startsWith("/") ? path : `/${path}`;
  return request.url;
}

function passOn({ owner, meter }: PassThrough, request: IncomingMessage, response: ServerResponse): void {
  const given = request.headers["traceparent"];
  const trace: Trace = continueTrace(typeof given === "string" ? given : undefined);
  // the owner continues the same trace, so its answer and its log name the id that the caller sees
  request.headers["traceparent"] = traceparent(trace);
  response.setHeader("x-trace-id", trace.traceId);
  response.setHeader("traceparent", traceparent(trace));
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  const arrived = performance.now();
  const count = meter(request.method ?? "GET");
  response.once("finish", () => count(response.statusCode, performance.now() - arrived, undefined));
  try {
    owner(request, response);
  } catch (error) {
    answerWithProblem(response, error, trace);
  }
}

/** node's parser refused the bytes; there is no request to answer to. */
export function clientErrorHandler(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? headersTooLarge()
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? requestTimedOut()
        : new HttpRefusal(400, "VALIDATION_FAILED", "Bad request", "The request is not well formed HTTP.");
  closeWithProblem(socket, refusal);
}
