import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as Listening, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { findClientAddress, type TrustedProxies } from "@factory/runtime/ingress/client-address";
import { continueTrace, type Trace, traceparent } from "@factory/runtime/telemetry/trace";
import { Connections } from "./connections.js";
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

export interface StopPatience {
  /** Requests on open connections are still answered for so long, since clients learn of the stop one by one. */
  readonly graceMs: number;
  /** Connections that are still open after it are cut. */
  readonly timeoutMs: number;
}

/** A websocket whose client does not answer the closing handshake is cut after so long. */
const websocketPatienceMs = 3000;

/** The node server before fastify: limits, pass-through, upgrades, and what a stop has to wait for. */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  readonly #connections = new Connections();
  readonly #upgraded = new Set<Duplex>();
  /** Several where a host name has several addresses. */
  readonly #servers: Server[] = [];
  #arrivals = 0;
  #closing = false;

  constructor(options: FrontDoorOptions) {
    this.#options = options;
  }

  get closing(): boolean {
    return this.#closing;
  }

  /** fastify's `serverFactory`. */
  open(routed: FrontDoorRequest): Server {
    const server = createServer(
      {
        maxHeaderSize: 16 * 1024,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 2000,
        keepAliveTimeout: 65_000,
        // node would answer without a body of ours
        requireHostHeader: false,
      },
      (request, response) => this.#arrive(request, response, routed),
    );
    server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
      this.#arrive(request, response, () =>
        answerWithProblem(response, unknownExpectation(), continueTrace(undefined)),
      ),
    );
    server.on("connect", (_request: IncomingMessage, socket: Socket) => {
      this.#connections.remove(socket);
      socket.on("error", () => socket.destroy());
      closeWithProblem(socket, new DomainError("NOT_SUPPORTED", { detail: "This server is not a proxy." }));
    });
    server.on("connection", (socket: Socket) => {
      this.#arrivals++;
      this.#connections.add(socket);
    });
    server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#connections.remove(socket);
      this.#upgrade(request, socket, head);
    });
    this.#servers.push(server);
    return server;
  }

  #arrive(request: IncomingMessage, response: ServerResponse, routed: FrontDoorRequest): void {
    if (!this.#connections.receive(response)) request.resume();
    else if (!this.#closing) this.#receive(request, response, routed);
    else {
      this.#arrivals++;
      // what was pipelined behind it is read first, so that the last of them is known before any is answered
      setImmediate(() => this.#receive(request, response, routed));
    }
  }

  #receive(request: IncomingMessage, response: ServerResponse, routed: FrontDoorRequest): void {
    const url = originForm(request);
    findClientAddress(request, this.#options.proxies);
    const refusal = url.length > maxUrlLength ? uriTooLong() : hostRefusal(request);
    if (refusal) answerWithProblem(response, refusal, continueTrace(undefined));
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
    // the http server no longer listens to a socket that was upgraded
    socket.on("error", () => socket.destroy());
    const refusal = hostRefusal(request);
    if (refusal) {
      closeWithProblem(socket, refusal, url);
      return;
    }
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

  /** fastify's `clientErrorHandler`: node's parser refused the bytes, and there is no request to answer to. */
  refuse(error: Error & { code?: string }, socket: Duplex): void {
    if (error.code === "ECONNRESET" || socket.destroyed) socket.destroy();
    // what follows a refusal is as unreadable, and is read only so that the refusal arrives
    else if (!socket.writableEnded)
      this.#connections.refuse(socket as Socket, () => closeWithProblem(socket, unreadable(error)));
  }

  /** Answers go on, each with "Connection: close" (RFC 9112 section 9.6). */
  leave(): void {
    this.#closing = true;
    this.#connections.leave();
  }

  /** Closes the listener, answers what arrives during the grace, then waits for what is in flight; `stop` ends the app behind. */
  async close(stop: () => Promise<unknown>, { graceMs, timeoutMs }: StopPatience): Promise<void> {
    this.#closing = true;
    const deadlines = [
      setTimeout(() => this.#connections.cut(), timeoutMs),
      setTimeout(() => this.#cutWebsockets(), Math.min(websocketPatienceMs, timeoutMs)),
    ];
    // first, since a client that is told to close its connection opens another one
    await this.#stopListening();
    this.leave();
    await sleep(Math.min(graceMs, timeoutMs));
    this.#connections.endIdle();
    await this.#connections.empty();
    await Promise.all([...this.#upgraded].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    for (const deadline of deadlines) clearTimeout(deadline);
    await stop();
  }

  /** The kernel resets connections that are not accepted yet, so the moment is one in which none arrives. */
  async #stopListening(): Promise<void> {
    for (let turn = 0, seen = -1; turn < 100 && seen !== this.#arrivals; turn++) {
      seen = this.#arrivals;
      await nextTurn();
    }
    // the close of http.Server would also destroy idle connections, whatever is on its way to them
    for (const server of this.#servers) if (server.listening) Listening.prototype.close.call(server);
  }

  #cutWebsockets(): void {
    for (const socket of this.#upgraded) socket.destroy();
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

/** RFC 9112 section 3.2: one Host, and only HTTP/1.0 may leave it out. */
function hostRefusal({ headers, rawHeaders, httpVersion }: IncomingMessage): HttpRefusal | undefined {
  if (headers.host === undefined && httpVersion === "1.1") return malformed("The request has no Host header.");
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1 ? malformed("The request has more than one Host header.") : undefined;
}

const malformed = (detail: string) => new HttpRefusal(400, "VALIDATION_FAILED", "Bad request", detail);

const unknownExpectation = () =>
  new HttpRefusal(417, "VALIDATION_FAILED", "Expectation failed", "The only expectation that is met is 100-continue.");

function unreadable({ code }: { code?: string }): unknown {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge();
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new DomainError("PAYLOAD_TOO_LARGE", { detail: "The extensions of a chunk are over 16 KiB." });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTimedOut();
    default:
      return malformed("The request is not well formed HTTP.");
  }
}
