import type { Principal } from "../auth/principal.js";
import type { Trace } from "../telemetry/trace.js";

/** Work that may be given up once its caller has gone. It is polled, so it is less than an AbortSignal. */
export type Abandonable = Pick<AbortSignal, "aborted">;

/** What one operation knows of its caller; made at the edge, handed to every subgraph. */
export interface RequestContext {
  readonly principal: Principal | undefined;
  readonly trace: Trace;
  readonly idempotencyKey: string | undefined;
  /** Of the message that asks for the operation, where one does; events of the operation carry them. */
  readonly correlationId: string | undefined;
  readonly causationId: string | undefined;
  /** Of the other end of the connection, where nothing else is known of the caller. */
  readonly address: string | undefined;
  /** The operation was asked for on the internal listener. */
  readonly internal: boolean;
  /** Aborted once the caller has gone. Absent while a mutation runs, which goes on to its end. */
  signal: Abandonable | undefined;
  /** Request-scoped caches, e.g. entity loaders, by their owner. */
  readonly loaders: Map<object, unknown>;
  /** Set when a stored result was returned instead of a new effect. */
  replayed: boolean;
}

export function requestContext(
  from: Pick<RequestContext, "principal" | "trace"> &
    Partial<
      Pick<RequestContext, "idempotencyKey" | "correlationId" | "causationId" | "internal" | "address" | "signal">
    >,
): RequestContext {
  const { idempotencyKey, correlationId, causationId, address, signal, internal = false } = from;
  const given = { ...from, idempotencyKey, correlationId, causationId, address, signal, internal };
  return { ...given, loaders: new Map(), replayed: false };
}
