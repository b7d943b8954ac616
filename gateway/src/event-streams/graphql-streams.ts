import type { OutgoingHttpHeaders } from "node:http";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { concerns, type Revocation } from "@factory/runtime/auth/revocations";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { isUnavailable } from "@factory/runtime/errors/unavailable";
import type { PrincipalSeats } from "@factory/runtime/platform-limits/principal-seats";
import { traceparent } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { FastifyReply, FastifyRequest } from "fastify";
import { OperationTypeNode } from "graphql";
import type { ConnectionSeats } from "../admission/connection-seats.js";
import { countInvalid, type RateLimits, refusedUnread } from "../admission/operation-charge.js";
import { ResponseStream } from "../execution/response-stream.js";
import type { LiveOperation, LiveOperations } from "../live-operations/live-operations.js";
import { defaultEventLimits, EventChannel, type EventChannelLimits } from "./event-channel.js";
import { OpenStream } from "./open-stream.js";
import { operationParameters } from "./operation-parameters.js";

interface StreamOptions {
  readonly operations: LiveOperations;
  readonly verifier: Verifier;
  readonly limits: RateLimits;
  /** The connections of each address, which websockets share. */
  readonly seats: ConnectionSeats;
  /** Each principal's event streams and websockets over all processes. */
  readonly principals: PrincipalSeats;
  readonly channelLimits?: EventChannelLimits;
}

interface Caller {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: RequestContext;
}

interface OpenedStream {
  readonly stream: OpenStream;
  readonly channel: EventChannel;
  readonly result: Awaited<ReturnType<LiveOperations["subscribe"]>>;
}

const longestTimerMs = 2_147_483_647;

/**
 * Serves graphql-sse in its distinct connections mode: each request has one operation, whose results are events. A
 * refusal before the document is read has an HTTP status. An error in the document is an event.
 */
export class GraphqlStreams {
  readonly #options: StreamOptions;
  readonly #streams = new Set<OpenStream>();
  #onEmpty: (() => void) | undefined;
  #isClosed = false;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** How many subscriptions are open. */
  get open(): number {
    return this.#streams.size;
  }

  /** Answers a request that wants an event stream. Throws a DomainError before the stream has begun. */
  async handle(caller: Caller): Promise<FastifyReply> {
    const { request, reply, context } = caller;
    if (this.#isClosed) throw stopping();
    const refusal = await refusedUnread(this.#options.limits, context);
    if (refusal) throw refusal;
    const parameters = this.#parameters(caller);
    // a stream may last for hours, and needs its body no more
    (request as { body: unknown }).body = undefined;
    const live = await this.#options.operations.read(parameters, context);
    if ("errors" in live) return this.#answer(caller, { errors: live.errors });
    try {
      requireToken(live, context);
      if (request.method === "GET" && live.definition.operation === OperationTypeNode.MUTATION) {
        reply.header("allow", "POST");
        throw mutationByGet();
      }
    } catch (error) {
      countInvalid(this.#options.limits, context);
      this.#options.operations.leave(live);
      throw error;
    }
    if (live.definition.operation !== OperationTypeNode.SUBSCRIPTION)
      return this.#answer(caller, await this.#options.operations.run(live));
    // A stream may last longer than its graph. An async function that sends it would keep `live`, and so the graph.
    return this.#open(caller, live).then((opened) => this.#send(caller, opened));
  }

  /** Ends the streams whose tokens this revocation makes invalid. */
  revoked(revocation: Revocation): void {
    for (const stream of this.#streams)
      if (concerns(revocation, stream.principal))
        this.#options.verifier.verify(stream.token).catch((error: unknown) => stream.end(reasonOf(error)));
  }

  /** Ends all streams, each with its cursor. Later requests are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end(stopping());
    if (this.#streams.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  #parameters({ request: { method, url, body }, context }: Caller) {
    try {
      return operationParameters({ method, search: new URL(url, "http://any").search, body });
    } catch (error) {
      countInvalid(this.#options.limits, context);
      throw error;
    }
  }

  /** Sends one result. */
  #answer({ reply, context }: Caller, result: Parameters<LiveOperations["publicResult"]>[0]): FastifyReply {
    if (context.replayed) reply.header("idempotent-replayed", "true");
    const channel = this.#channel(reply);
    begin(channel, reply);
    channel.next(this.#options.operations.publicResult(result), undefined);
    channel.complete();
    return reply;
  }

  async #open({ reply, context, request }: Caller, live: LiveOperation): Promise<OpenedStream> {
    const { operations, verifier } = this.#options;
    const principal = context.principal as Principal;
    const token = tokenOf(request);
    let leaveSeats: () => void;
    try {
      leaveSeats = await this.#takeSeats(principal, context.address ?? "");
    } catch (error) {
      // the operation is counted where it runs, and a refusal before it has cost the reading of a document
      countInvalid(this.#options.limits, context);
      operations.leave(live);
      throw error;
    }
    const channel = this.#channel(reply);
    const stream = new OpenStream({ context, principal, token, channel, operations });
    this.#add(stream, channel, leaveSeats);
    const result = await operations.subscribe(live, { traceparent: traceparent(context.trace) });
    // a revocation before this stream was registered has told nothing about it
    await verifier.verify(token).catch((error: unknown) => stream.end(reasonOf(error)));
    return { stream, channel, result };
  }

  async #send({ reply }: Caller, { stream, channel, result }: OpenedStream): Promise<FastifyReply> {
    const { operations } = this.#options;
    begin(channel, reply);
    if (result instanceof ResponseStream) await stream.send(result);
    else {
      channel.next(operations.publicResult(result), undefined);
      channel.complete();
    }
    return reply;
  }

  #channel({ raw: response }: FastifyReply): EventChannel {
    return new EventChannel(response, this.#options.channelLimits ?? defaultEventLimits);
  }

  #add(stream: OpenStream, channel: EventChannel, leaveSeats: () => void): void {
    this.#streams.add(stream);
    if (this.#isClosed) stream.end(stopping());
    const remainingMs = Math.min(stream.principal.expiresAt * 1000 - Date.now(), longestTimerMs);
    const expiry = setTimeout(() => stream.end(expired()), Math.max(remainingMs, 0));
    channel.onClose(() => {
      clearTimeout(expiry);
      leaveSeats();
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#onEmpty?.();
    });
  }

  /** Takes a seat of the address and one of the principal. Throws RATE_LIMITED. Returns what gives them back. */
  async #takeSeats({ subject }: Principal, address: string): Promise<() => void> {
    const { seats, principals } = this.#options;
    const seat = seats.takeKnown(address);
    if (!(await principals.take(subject))) {
      seat.leave();
      throw new DomainError("RATE_LIMITED", {
        detail: "The principal has too many websockets and event streams. Close one of them first.",
        retryAfterSeconds: 10,
      });
    }
    return () => {
      seat.leave();
      principals.leave(subject);
    };
  }
}

/** From here on fastify does not answer the request. */
function begin(channel: EventChannel, reply: FastifyReply): void {
  reply.hijack();
  channel.begin(reply.getHeaders() as OutgoingHttpHeaders);
}

const tokenOf = ({ headers }: FastifyRequest) => headers.authorization?.slice("bearer ".length).trim() ?? "";

function requireToken({ graph, document, definition: operation }: LiveOperation, context: RequestContext): void {
  if (graph.refusedWithoutToken({ document, operation }, context))
    throw new DomainError("UNAUTHENTICATED", {
      detail: "A bearer token is required. Send it in the header Authorization.",
    });
}

/** The reason for which a refused token ends its stream. It is not the token's when the verifier could not decide. */
function reasonOf(error: unknown): DomainError {
  if (isUnavailable(error))
    return new DomainError("UNAVAILABLE", {
      detail: "The token cannot be checked now. Subscribe again after the cursor.",
    });
  if (error instanceof DomainError) return error;
  return new DomainError("TOKEN_INVALID", { detail: "The token is not valid any more. Get a new token." });
}

const stopping = () =>
  new DomainError("UNAVAILABLE", { detail: "The platform is stopping. Subscribe again after the cursor." });

const expired = () =>
  new DomainError("TOKEN_EXPIRED", {
    detail: "The token has expired. Get a new token and subscribe again after the cursor.",
  });

const mutationByGet = () =>
  new DomainError("METHOD_NOT_ALLOWED", { detail: "A mutation cannot run by GET. Send it by POST." });
