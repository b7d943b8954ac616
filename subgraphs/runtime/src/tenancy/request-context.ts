import type { Principal } from "../auth/principal.js";
import type { Trace } from "../telemetry/trace.js";

/** What one operation knows of its caller; made at the edge, handed to every subgraph. */
export interface RequestContext {
  readonly principal: Principal | undefined;
  readonly trace: Trace;
  readonly idempotencyKey: string | undefined;
  /** The operation was asked for on the internal listener. */
  readonly internal: boolean;
  /** Request-scoped caches, e.g. entity loaders, by their owner. */
  readonly loaders: Map<object, unknown>;
  /** Set when a stored result was returned instead of a new effect. */
  replayed: boolean;
}

export function requestContext(
  from: Pick<RequestContext, "principal" | "trace"> & { idempotencyKey?: string | undefined; internal?: boolean },
): RequestContext {
  const { idempotencyKey, internal = false } = from;
  return { ...from, idempotencyKey, internal, loaders: new Map(), replayed: false };
}
