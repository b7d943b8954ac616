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
/** Strict-Transport-Security (RFC 6797). */
export const strictTransport = ["strict-transport-security", "max-age=31536000; includeSubDomains"] as const;

/** Requests below this prefix go to their owner unchanged: without routing and without reading the body. */
interface PassThrough {
  readonly prefix: `/${string}/`;
  readonly owner: (request: IncomingMessage, response: ServerResponse) => void;
  readonly meter: (method: string) => Meter;
}

export interface FrontDoorOptions {
  readonly proxies: TrustedProxies;
  readonly https: boolean;
  readonly passThrough: readonly PassThrough[];
  /** Answers a request before it is routed, if it can. */
  readonly direct?: (request: IncomingMessage, response: ServerResponse, pass: () => void) => boolean;
  readonly upgrade:
    | { readonly path: string; accept(request: IncomingMessage, socket: Duplex, head: Buffer): void }
    | undefined;
}

/** How long a stop waits, in milliseconds. */
export interface StopPatience {
  /** Open connections are served for this long after the stop begins: each client learns about it by its next answer. */
  readonly graceMs: number;
  /** Connections that are still open after this time are destroyed. */
  readonly timeoutMs: number;
  /** How long a client's late bytes are read after its last answer. */
  readonly lingerMs?: number;
  /** Waits for the grace period; `setTimeout` by default. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** A websocket whose client does not answer the closing handshake is destroyed after this time. */
const websocketPatienceMs = 3000;

/** The Node server before fastify: limits, pass-through paths, upgrades, and a stop that loses no answer. */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  readonly #connections = new Connections();
  readonly #upgraded = new Set<Duplex>();
  /** Several servers, if a host name has several addresses. */
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
  open(handle: FrontDoorRequest): Server {
    const server = createServer(
      {
        maxHeaderSize: 16 * 1024,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 2000,
        keepAliveTimeout: 65_000,
        // Node would answer without a problem body
        requireHostHeader: false,
      },
      (request, response) => this.#arrive(request, response, handle),
    );
    server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
      this.#arrive(request, response, () =>
        answerWithProblem(response, unknownExpectation(), continueTrace(undefined)),
      ),
    );
    server.on("connect", (_request: IncomingMessage, socket: Socket) => {
      this.#connections.remove(socket);
      socket.on("error", () => socket.destroy());
      closeWithProblem(
        socket,
        new DomainError("NOT_SUPPORTED", {
          detail: "This server is not a proxy. Send a URL of this server, or only its path.",
        }),
      );
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

  #arrive(request: IncomingMessage, response: ServerResponse, handle: FrontDoorRequest): void {
    if (!this.#connections.receive(response)) request.resume();
    else if (!this.#closing) this.#receive(request, response, handle);
    else {
      this.#arrivals++;
      // pipelined requests are read before the answer, so that the connection's last request is known
      setImmediate(() => this.#receive(request, response, handle));
    }
  }

  #receive(request: IncomingMessage, response: ServerResponse, handle: FrontDoorRequest): void {
    const url = originForm(request);
    findClientAddress(request, this.#options.proxies);
    const refusal = url.length > maxUrlLength ? uriTooLong() : hostRefusal(request);
    if (refusal) answerWithProblem(response, refusal, continueTrace(undefined));
    else if (url === "*") response.writeHead(204, { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }).end();
    else {
      const passThrough = this.#options.passThrough.find(({ prefix }) => url.startsWith(prefix));
      if (passThrough) {
        if (this.#options.https) response.setHeader(...strictTransport);
        passOn(passThrough, request, response);
      } else if (!this.#options.direct?.(request, response, () => handle(request, response))) handle(request, response);
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { upgrade } = this.#options;
    const url = originForm(request);
    // the HTTP server handles no errors from a socket that was upgraded
    socket.on("error", () => socket.destroy());
    const refusal = hostRefusal(request);
    if (refusal) {
      closeWithProblem(socket, refusal, url);
      return;
    }
    if (!upgrade || url.split("?", 1)[0] !== upgrade.path) {
      refuseUpgrade(
        socket,
        new DomainError("NOT_FOUND", { detail: "Websockets are served only at /graphql. Connect to that path." }),
        url,
      );
      return;
    }
    if (this.#closing) {
      refuseUpgrade(
        socket,
        new DomainError("UNAVAILABLE", {
          detail: "The platform is stopping. Connect again after the time in Retry-After.",
        }),
        url,
      );
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

  /** fastify's `clientErrorHandler`. Node's parser refused the bytes, so a request object does not exist. */
  refuse(error: Error & { code?: string }, socket: Duplex): void {
    if (error.code === "ECONNRESET" || socket.destroyed) socket.destroy();
    // the bytes after a refusal cannot be parsed either; they are read only so that the refusal arrives
    else if (!socket.writableEnded)
      this.#connections.refuse(socket as Socket, () => closeWithProblem(socket, unreadable(error)));
  }

  /** Announces the stop. Requests are still answered, each with "Connection: close" (RFC 9112 section 9.6). */
  leave(lingerMs?: number): void {
    this.#closing = true;
    this.#connections.leave(lingerMs);
  }

  /** Closes the listener, answers late requests, and waits for those in flight. `stop` ends the application behind. */
  async close(stop: () => Promise<unknown>, patience: StopPatience): Promise<void> {
    const { graceMs, timeoutMs, lingerMs, pause = sleep } = patience;
    this.#closing = true;
    const deadlines = [
      setTimeout(() => this.#connections.cut(), timeoutMs),
      setTimeout(() => this.#cutWebsockets(), Math.min(websocketPatienceMs, timeoutMs)),
    ];
    // the listener closes first, since a client that is told to close its connection opens another one
    await this.#stopListening();
    this.leave(lingerMs);
    await pause(Math.min(graceMs, timeoutMs));
    // the turn reads requests that have arrived, so that their connections are not idle
    await nextTurn();
    this.#connections.endIdle();
    await this.#connections.empty();
    await Promise.all([...this.#upgraded].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    for (const deadline of deadlines) clearTimeout(deadline);
    await stop();
  }

  /** The kernel resets connections that are not accepted yet, so this waits for a moment in which none arrives. */
  async #stopListening(): Promise<void> {
    for (let turn = 0, seenArrivals = -1; turn < 100 && seenArrivals !== this.#arrivals; turn++) {
      seenArrivals = this.#arrivals;
      await nextTurn();
    }
    // http.Server's `close` would also destroy idle connections, although a request may be on its way to them
    for (const server of this.#servers) if (server.listening) Listening.prototype.close.call(server);
  }

  #cutWebsockets(): void {
    for (const socket of this.#upgraded) socket.destroy();
  }
}

const refusedUpgradeMs = 2000;

/** The HTTP server's time limits do not apply to an upgraded socket, so it needs its own. */
function refuseUpgrade(socket: Duplex, error: unknown, url: string): void {
  closeWithProblem(socket, error, url);
  const deadline = setTimeout(() => socket.destroy(), refusedUpgradeMs);
  socket.once("close", () => clearTimeout(deadline));
}

type FrontDoorRequest = (request: IncomingMessage, response: ServerResponse) => void;

const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/** A request target's path, also in absolute form (RFC 9112 section 3.2.2). */
function originForm(request: IncomingMessage): string {
  const url = request.url ?? "/";
  if (url.charCodeAt(0) === 0x2f || url === "*") return url;
  const path = url.replace(absoluteForm, "");
  request.url = path.startsWith("/") ? path : `/${path}`;
  return request.url;
}

function passOn({ owner, meter }: PassThrough, request: IncomingMessage, response: ServerResponse): void {
  const traceHeader = request.headers["traceparent"];
  const trace: Trace = continueTrace(typeof traceHeader === "string" ? traceHeader : undefined);
  // the owner continues the same trace, so its answer and its log name the id that the caller sees
  request.headers["traceparent"] = traceparent(trace);
  response.setHeader("x-trace-id", trace.traceId);
  response.setHeader("traceparent", traceparent(trace));
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  const arrivalTime = performance.now();
  const count = meter(request.method ?? "GET");
  response.once("finish", () => count(response.statusCode, performance.now() - arrivalTime, undefined));
  try {
    owner(request, response);
  } catch (error) {
    answerWithProblem(response, error, trace);
  }
}

/** Checks for exactly one Host header, which only HTTP/1.0 may leave out (RFC 9112 section 3.2). */
function hostRefusal({ headers, rawHeaders, httpVersion }: IncomingMessage): HttpRefusal | undefined {
  if (headers.host === undefined && httpVersion === "1.1")
    return malformedRequest("The request has no Host header. Send exactly one.");
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1 ? malformedRequest("The request has more than one Host header. Send exactly one.") : undefined;
}

const malformedRequest = (detail: string) => new HttpRefusal(400, "VALIDATION_FAILED", "Bad request", detail);

const unknownExpectation = () =>
  new HttpRefusal(
    417,
    "VALIDATION_FAILED",
    "Expectation failed",
    "The header Expect has a value that is not supported. Only 100-continue is allowed.",
  );

function unreadable({ code }: { code?: string }): unknown {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return headersTooLarge();
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new DomainError("PAYLOAD_TOO_LARGE", {
        detail: "The chunk extensions of the body are longer than 16 KiB, which is the limit.",
      });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTimedOut();
    default:
      return malformedRequest("The request is not well-formed HTTP.");
  }
}
