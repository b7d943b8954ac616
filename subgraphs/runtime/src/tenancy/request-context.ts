import type { Principal } from "../auth/principal.js";
import type { Trace } from "../telemetry/trace.js";

/**
 * A flag that says that the caller has gone, so that work for it can stop. It is polled and has no events, unlike an
 * AbortSignal.
 */
export type Abandonable = Pick<AbortSignal, "aborted">;

/** One operation's context: its caller and its trace. The gateway creates it and passes it to every subgraph. */
export interface RequestContext {
  readonly principal: Principal | undefined;
  readonly trace: Trace;
  readonly idempotencyKey: string | undefined;
  /** IDs from the message that caused the operation, if any. The operation's events carry them. */
  readonly correlationId: string | undefined;
  readonly causationId: string | undefined;
  /**
   * The header Last-Event-ID, with which a subscription over an event stream goes on. It stands in place of the argument
   * `after`.
   */
  readonly lastEventId: string | undefined;
  /** The client address in the form that rate limits use. It is personal: it is never logged. */
  readonly address: string | undefined;
  /** The header User-Agent, for the audit log only. */
  readonly userAgent: string | undefined;
  /** Whether the operation came through the internal listener. */
  readonly internal: boolean;
  /**
   * Whether several subscribers with the same rights get what is resolved. Their principal has no subject, so nothing
   * may depend on one of them.
   */
  readonly isShared: boolean;
  /** Is aborted once the caller has gone. Absent while a mutation runs, because a mutation always runs to its end. */
  signal: Abandonable | undefined;
  /** Set when an earlier request with the same Idempotency-Key stored the result that is returned. */
  replayed: boolean;
  /** Set when the operation has waited for its work as the caller asked: the seconds that it would have waited. */
  waitedSeconds: number | undefined;
  /**
   * The operation's cost in its class's rate limit, beside one point for each root field. Work that may be long counts
   * itself, and adds to it.
   */
  points: number;
}

/** Creates a request context with defaults. */
export function requestContext(
  from: Pick<RequestContext, "principal" | "trace"> &
    Partial<
      Pick<
        RequestContext,
        | "idempotencyKey"
        | "correlationId"
        | "causationId"
        | "lastEventId"
        | "internal"
        | "isShared"
        | "address"
        | "userAgent"
        | "signal"
      >
    >,
): RequestContext {
  const { idempotencyKey, correlationId, causationId, lastEventId, address, userAgent, signal } = from;
  const contextFacts = { ...from, idempotencyKey, correlationId, causationId, lastEventId, address, userAgent, signal };
  return {
    ...contextFacts,
    internal: from.internal ?? false,
    isShared: from.isShared ?? false,
    replayed: false,
    waitedSeconds: undefined,
    points: 0,
  };
}

/** The operation's client, for the audit log. */
export const originOf = ({ address, userAgent }: RequestContext) => ({ address, userAgent });
