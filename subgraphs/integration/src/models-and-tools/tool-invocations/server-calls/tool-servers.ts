import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Client, PriorDiscovery, RequestOptions } from "@modelcontextprotocol/client";
import { LRUCache } from "lru-cache";
import type { VendorTarget } from "../../../connections/vendor-calls/exchange/vendor-call.js";
import type { OpenChannel, ProtocolPackage } from "./channel.js";
import type { SessionFacts } from "./session-facts.js";

/** The limits for one session. */
interface SessionLimits {
  /** Aborted when the work must end. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A session with a tool server: the client, and the options for each request. */
export interface ToolSession {
  readonly client: Client;
  readonly options: RequestOptions;
  /** The facts that the answers so far have shown. */
  readonly facts: Pick<SessionFacts, "leftOut" | "offered" | "result">;
}

const clientInfo = { name: "svc-integration", version: "1" };
/** Their bytes have a limit together, and so has the number of tools. */
const maxListPages = 64;
const maxKnownServers = 500;
/** A server may describe itself at any length. */
const maxDiscoveryCharacters = 16_384;
const revisionMemoryMs = 600_000;

/**
 * Sessions with tool servers, one for each piece of work. The protocol's revision 2026-07-28 is tried first, then
 * 2025-11-25; the platform remembers for some minutes which one a server speaks.
 */
export class ToolServers {
  readonly #open: OpenChannel;
  readonly #revisions = new LRUCache<string, PriorDiscovery>({ max: maxKnownServers, ttl: revisionMemoryMs });

  constructor(open: OpenChannel) {
    this.#open = open;
  }

  /**
   * Runs `work` in a session. Throws what `VendorCalls.call` throws, UPSTREAM_FAILED and VALIDATION_FAILED for the
   * server's refusals, what the work throws, and the signal's reason. No server text is in these errors.
   */
  async use<T>(
    target: VendorTarget,
    { signal, timeoutMs }: SessionLimits,
    work: (session: ToolSession) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    const sessionRequest = { target, signal, deadline };
    try {
      return await this.#session(sessionRequest, this.#revisions.get(keyOf(target)), work);
    } catch (error) {
      if (!(error instanceof EndedAtHandshake)) throw error;
    }
    return this.#session(sessionRequest, { kind: "legacy" }, work);
  }

  /** `prior`: the server's revision. Without it, throws EndedAtHandshake where a program ends at the question. */
  async #session<T>(
    { target, signal, deadline }: WantedSession,
    prior: PriorDiscovery | undefined,
    work: (session: ToolSession) => Promise<T>,
  ): Promise<T> {
    const protocol = await import("@modelcontextprotocol/client");
    const { facts, broken } = newFacts();
    const over = new AbortController();
    const endSignal = AbortSignal.any([signal, over.signal]);
    const channel = await this.#open(protocol, { target: { ...target, signal: endSignal }, deadline, facts });
    // The protocol's client does not look at the signal while it finds out the revision.
    endSignal.addEventListener("abort", () => facts.broken(endSignal.reason), { once: true });
    const client = newClient(protocol);
    const timeout = Math.max(1, Math.floor(deadline - performance.now()));
    const options = { signal, timeout, maxTotalTimeout: timeout };
    const key = keyOf(target);
    let isConnected = false;
    try {
      await Promise.race([client.connect(channel.transport, { ...options, ...(prior && { prior }) }), broken]);
      isConnected = true;
      this.#remember(key, client);
      return await Promise.race([work({ client, options, facts }), broken]);
    } catch (error) {
      if (!(error instanceof DomainError)) this.#revisions.delete(key);
      if (signal.aborted) throw signal.reason;
      const mayBeFormer = !isConnected && !prior && channel.ended && (facts.programEnded || !facts.refusal);
      if (mayBeFormer) throw new EndedAtHandshake();
      throw facts.refusal ?? serverFailure(error, facts.failedStatus);
    } finally {
      await client.close().catch(() => undefined);
      if (!isConnected) await channel.transport.close().catch(() => undefined);
      channel.end();
      over.abort();
      // A program's place is free for the next one when it has ended.
      if (!isConnected) await channel.ended;
    }
  }

  #remember(key: string, client: Client): void {
    if (this.#revisions.has(key)) return;
    const discover = client.getDiscoverResult();
    if (client.getProtocolEra() === "legacy") this.#revisions.set(key, { kind: "legacy" });
    else if (discover && JSON.stringify(discover).length <= maxDiscoveryCharacters)
      this.#revisions.set(key, { kind: "modern", discover });
  }
}

interface WantedSession {
  readonly target: VendorTarget;
  readonly signal: AbortSignal;
  /** Milliseconds on the monotonic clock. */
  readonly deadline: number;
}

/** A program may end at the handshake for a revision that it does not know. */
class EndedAtHandshake extends Error {}

const keyOf = ({ tenant, connection }: VendorTarget) => `${tenant.uuid} ${connection.connectionId}`;

function newClient(protocol: ProtocolPackage): Client {
  return new protocol.Client(clientInfo, {
    versionNegotiation: { mode: "auto", probe: { timeoutMs: 10_000 } },
    listMaxPages: maxListPages,
    // A server's schemas are not compiled here: a hostile pattern could block the process.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  });
}

/** A new session's facts, and the promise that is rejected when the session breaks. */
function newFacts(): { facts: SessionFacts; broken: Promise<never> } {
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  promise.catch(() => undefined);
  return {
    facts: {
      ...{ refusal: undefined, failedStatus: undefined, receivedBytes: 0, programEnded: false, broken: reject },
      ...{ called: false, leftOut: [], offered: [], result: undefined },
    },
    broken: promise,
  };
}

/** JSON-RPC 2.0, section 5.1. */
const invalidParams = -32602;
const requestTimeout = "REQUEST_TIMEOUT";

/** The refusal for an error in the MCP client. The error's message may repeat texts from the server, so it is left out. */
function serverFailure(error: unknown, failedStatus: number | undefined): unknown {
  if (error instanceof DomainError) return error;
  const { code } = error as { readonly code?: unknown };
  if (code === requestTimeout)
    return new DomainError("UPSTREAM_TIMEOUT", { detail: "The tool server did not answer in time." });
  if (failedStatus === 401 || failedStatus === 403)
    return new DomainError("CREDENTIAL_REJECTED", {
      detail: `The tool server has refused the credential of the connection with the status ${failedStatus}.`,
    });
  if (code === invalidParams)
    return new DomainError("VALIDATION_FAILED", {
      detail: "The tool server does not know the tool, or has refused its arguments.",
    });
  if (typeof code === "number")
    return new DomainError("UPSTREAM_FAILED", {
      detail: `The tool server has refused the request with the code ${code}.`,
    });
  return new DomainError("UPSTREAM_FAILED", {
    detail:
      failedStatus === undefined
        ? "The answer of the tool server does not follow its protocol."
        : `The tool server has answered with the status ${failedStatus}.`,
  });
}
