import { isIP, type LookupFunction, type Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { callbackify } from "node:util";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { blockedAddress } from "./blocked-address.js";
import { blockedUrl, hostOf, type UrlPolicy } from "./blocked-url.js";
import { EgressBlockedError, EgressFailure, egressFailure } from "./egress-errors.js";
import { HostLookup, type ResolvedAddress } from "./host-lookup.js";
import { blockedMailHost, connectToMailHost, type MailHost } from "./mail-host.js";
import { isReservedHeader } from "./reserved-header.js";
import { BodyTaker, readAtMost, type TakeBody } from "./response-body.js";
import { TimeLimit } from "./time-limit.js";

export interface EgressOptions extends UrlPolicy {
  /** Resolves host names instead of DNS. The result is not used after the signal. */
  resolve?: (host: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;
  /** When so many connections are open, a request closes its connection after the answer. Default: 512. */
  keptConnections?: number;
}

export interface EgressRequest {
  method: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The time limit from the DNS lookup to the body's last byte. */
  timeoutMs: number;
  connectTimeoutMs: number;
  maxResponseBytes: number;
  /**
   * Takes a successful answer's body (200 to 299) piece by piece, which is then not collected. The next piece is read
   * after its promise has resolved, so that a slow taker slows the sender down. Its error ends the request and is
   * thrown.
   */
  onBody?: TakeBody;
  signal?: AbortSignal;
}

/** The answer to an outgoing request. */
export interface EgressResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The body as it was sent; it is never decompressed. */
  body: Buffer;
  /** True when the body was longer than `maxResponseBytes` and was cut off. */
  truncated: boolean;
}

/** The certificates for a client with its own TLS. */
export interface ClientTls {
  /** The client certificate and its chain, and the private key, as PEM. */
  readonly certificate: string;
  readonly privateKey: string;
  /** The authorities, as PEM, that may sign the server's certificate. Absent: Node's own. */
  readonly authorities?: string;
}

/** A client whose connections and TLS sessions are shared with no other client. */
export interface EgressClient {
  /** As `Egress.request`. */
  request(url: string, request: EgressRequest): Promise<EgressResponse>;
  /** Closes the connections after the running requests are answered. */
  close(): Promise<void>;
}

/** The only client for outgoing HTTP. It blocks private addresses and follows no redirects. */
export interface Egress extends EgressClient {
  /**
   * The reason why the target is blocked, or undefined. A name that does not resolve is not blocked, since request()
   * resolves it again.
   */
  check(url: string, options?: { httpsOnly?: boolean }): Promise<string | undefined>;
  /** Sends a request. Throws EgressBlockedError, EgressFailure, or the signal's reason. */
  request(url: string, request: EgressRequest): Promise<EgressResponse>;
  /**
   * A client with at most `connections` connections to each origin, behind the same guard. It is closed by its owner.
   * Throws EgressFailure (`tls`) when the certificates cannot be used.
   */
  client(options: { connectTimeoutMs: number; connections: number; tls?: ClientTls }): EgressClient;
  /** As `check`, for a mail server. */
  checkMailHost(host: MailHost): Promise<string | undefined>;
  /**
   * A connected socket to a mail server, without TLS yet. The caller destroys it. Throws EgressBlockedError,
   * EgressFailure or the signal's reason.
   */
  connectToMailHost(host: MailHost, timeoutMs: number, signal?: AbortSignal): Promise<Socket>;
}

const maxHeaderBytes = 16 * 1_024;
const checkPatienceMs = 3_000;
/** Limits idle sockets: each lives for 4 s, and each origin adds some. */
const defaultKeptConnections = 512;

/** Creates the client for outgoing HTTP. Close it when the process ends. */
export function createEgress(options: EgressOptions): Egress {
  for (const cidr of options.allowPrivateCidrs) ipaddr.parseCIDR(cidr);
  const hosts = new HostLookup();
  const resolve = options.resolve ?? ((host, signal) => hosts.addressesOf(host, signal));
  const { keptConnections = defaultKeptConnections } = options;
  const agents = new Map<number, Agent>();
  let open = 0;

  async function resolveAllowed(host: string, patienceMs: number): Promise<ResolvedAddress[]> {
    const addresses = await resolve(host, AbortSignal.timeout(patienceMs));
    for (const { address } of addresses) {
      const reason = blockedAddress(address, options);
      if (reason !== undefined) throw new EgressBlockedError(`the host resolves to ${reason}`);
    }
    if (addresses.length === 0) throw new EgressFailure("connect", "the host has no address");
    return addresses;
  }

  function newAgent(connectTimeoutMs: number, connections: number | null, secureContext?: SecureContext): Agent {
    // The caller's signal limits the total time, so undici needs no other time-outs.
    const connect = guardedConnector(connectTimeoutMs, resolveAllowed, { ...options, secureContext });
    const limits = { maxHeaderSize: maxHeaderBytes, headersTimeout: 0, bodyTimeout: 0 };
    const agent = new Agent({ connect, connections, ...limits });
    agent.on("connect", () => {
      open += 1;
    });
    agent.on("disconnect", () => {
      open -= 1;
    });
    return agent;
  }

  function agentFor(connectTimeoutMs: number): Agent {
    const agent = agents.get(connectTimeoutMs) ?? newAgent(connectTimeoutMs, null);
    agents.set(connectTimeoutMs, agent);
    return agent;
  }

  function send(agent: (request: EgressRequest) => Agent, url: string, request: EgressRequest) {
    const reason = blockedUrl(url, options);
    if (reason !== undefined) throw new EgressBlockedError(reason);
    const reservedHeader = Object.keys(request.headers ?? {}).find(isReservedHeader);
    if (reservedHeader !== undefined)
      throw new EgressBlockedError(`the header ${reservedHeader} cannot be set by the caller`);
    return exchange(agent(request), { url: new URL(url), kept: open < keptConnections }, request);
  }

  return {
    async check(url, { httpsOnly = false } = {}) {
      const reason = blockedUrl(url, options, httpsOnly);
      const host = reason === undefined ? hostOf(new URL(url)) : "";
      if (reason !== undefined || isIP(host) !== 0) return reason;
      try {
        await withinPatience(resolveAllowed(host, checkPatienceMs));
      } catch (error) {
        if (error instanceof EgressBlockedError) return error.reason;
      }
      return undefined;
    },

    async request(url, request) {
      return send(({ connectTimeoutMs }) => agentFor(connectTimeoutMs), url, request);
    },

    client({ connectTimeoutMs, connections, tls }) {
      const agent = newAgent(connectTimeoutMs, connections, tls && secureContextOf(tls));
      return { request: async (url, request) => send(() => agent, url, request), close: () => agent.close() };
    },

    async checkMailHost(target) {
      const reason = blockedMailHost(target, options);
      if (reason !== undefined || isIP(target.host) !== 0) return reason;
      try {
        await withinPatience(resolveAllowed(target.host, checkPatienceMs));
      } catch (error) {
        if (error instanceof EgressBlockedError) return error.reason;
      }
      return undefined;
    },

    async connectToMailHost(target, timeoutMs, signal) {
      const reason = blockedMailHost(target, options);
      if (reason !== undefined) throw new EgressBlockedError(reason);
      const timeout = AbortSignal.timeout(timeoutMs);
      const combinedSignal = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
      try {
        return await connectToMailHost(target, (host) => resolveAllowed(host, timeoutMs), combinedSignal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (timeout.aborted) throw new EgressFailure("timeout", `no connection within ${timeoutMs} ms`);
        throw egressFailure(error);
      }
    },

    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.close()));
    },
  };
}

/** Connects to the addresses that were checked. A second DNS lookup could return a private address (DNS rebinding). */
function guardedConnector(
  timeout: number,
  resolveAllowed: (host: string, patienceMs: number) => Promise<ResolvedAddress[]>,
  options: EgressOptions & { secureContext?: SecureContext | undefined },
): buildConnector.connector {
  // With autoSelectFamily Node asks for all addresses, so the answer must be a list.
  const lookup = callbackify((host: string, _options: unknown) => resolveAllowed(host, timeout)) as LookupFunction;
  const tls = options.secureContext && { secureContext: options.secureContext };
  const connect = buildConnector({ timeout, lookup, autoSelectFamily: true, allowH2: false, port: 0, ...tls });
  return (target, callback) => {
    // Node does not call the lookup function for an IP address.
    const reason = isIP(target.hostname) === 0 ? undefined : blockedAddress(target.hostname, options);
    if (reason === undefined) connect(target, callback);
    else callback(new EgressBlockedError(reason), null);
  };
}

function secureContextOf({ certificate, privateKey, authorities }: ClientTls): SecureContext {
  try {
    return createSecureContext({ cert: certificate, key: privateKey, ...(authorities && { ca: authorities }) });
  } catch (error) {
    throw new EgressFailure("tls", "the client certificate cannot be used", { cause: error });
  }
}

async function exchange(
  agent: Agent,
  { url, kept }: { url: URL; kept: boolean },
  request: EgressRequest,
): Promise<EgressResponse> {
  const limit = new TimeLimit(request.timeoutMs, request.signal);
  const { signal } = limit;
  let taker: BodyTaker | undefined;
  try {
    const response = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers ?? {},
      body: request.body ?? null,
      reset: !kept,
      signal,
    });
    const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
    if (isSuccess && request.onBody) taker = new BodyTaker(request.onBody, signal);
    const { body, truncated } = await readAtMost(response.body, request.maxResponseBytes, taker);
    return { status: response.statusCode, headers: response.headers, body, truncated };
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (limit.isOver)
      throw new EgressFailure("timeout", `no complete answer within ${request.timeoutMs} ms`, { cause: error });
    if (taker?.failure) throw taker.failure.error;
    throw egressFailure(error);
  } finally {
    taker?.end();
    limit.end();
  }
}

async function withinPatience<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), checkPatienceMs);
  });
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}
