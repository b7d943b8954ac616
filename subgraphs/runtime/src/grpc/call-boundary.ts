import { type Metadata, ServerError, type ServerMiddleware, Status } from "nice-grpc-common";
import type { Principal } from "../auth/principal.js";
import { DomainError } from "../errors/domain-error.js";
import { continueTrace, type Trace } from "../telemetry/trace.js";
import type { CallRefusals, CallSource } from "./call-refusals.js";
import { detailsKey, retryAfterKey } from "./error-status.js";
import { callerKey, type ServiceIdentity, serviceIdentities } from "./service-identity.js";
import { requireReadable } from "./unreadable-request.js";

/** A call's context: caller, trace and `signal`, which is aborted at the caller's deadline. */
export interface CallFacts {
  readonly caller: ServiceIdentity;
  readonly trace: Trace;
  /** Names the call's principal for the audit log, in case that the call is refused. */
  readonly identify: (principal: Principal) => void;
}

/** A call's context as service methods see it. */
export interface ServiceCallContext extends CallFacts, CallSource {
  readonly signal: AbortSignal;
  readonly trailer: { set(key: string, value: string): unknown };
}

/** Is aborted when the server stops too, so that calls without an end, such as a health watch, end. */
interface Terminable {
  abortOnTerminate(): void;
}

/**
 * The middleware for every method: it continues the trace, turns refusals into a status with details, and hides
 * defects.
 */
export function callBoundary(refusals: CallRefusals, stopping: AbortSignal): ServerMiddleware<CallFacts & Terminable> {
  return async function* (call, context) {
    const trace = continueTrace(context.metadata.get("traceparent"));
    let principal: Principal | undefined;
    const identify = (knownPrincipal: Principal) => {
      principal = knownPrincipal;
    };
    const termination = new Termination(context.signal, stopping);
    const abortOnTerminate = () => termination.follow();
    context.trailer.set("trace-id", trace.traceId);
    try {
      const caller = callerOf(context);
      requireReadable(call.request);
      const facts = { caller, trace, identify, abortOnTerminate };
      return yield* call.next(call.request, {
        ...context,
        ...facts,
        get signal() {
          return termination.signal;
        },
      });
    } catch (error) {
      if (error instanceof ServerError) throw error;
      if (context.signal.aborted) throw new ServerError(Status.CANCELLED, "The call was cancelled.");
      const refusal = termination.isOver
        ? new DomainError("UNAVAILABLE", { detail: "The server is stopping. Send the call again in a moment." })
        : error;
      const { peer, metadata } = context;
      const isStopped = termination.isOver;
      const refusedCall = { path: call.method.path, trace, principal, peer, metadata, isStopped };
      const { code, message, details, retryAfterSeconds } = refusals.statusOf(refusal, refusedCall);
      context.trailer.set(detailsKey, details);
      if (retryAfterSeconds !== undefined) context.trailer.set(retryAfterKey, String(retryAfterSeconds));
      throw new ServerError(code, message);
    } finally {
      termination.leave();
    }
  };
}

/** Ends a call when the server stops. Its signals are made when they are used, since most calls use none. */
class Termination {
  readonly #cancelled: AbortSignal;
  readonly #stopping: AbortSignal;
  #ended: AbortController | undefined;
  #signal: AbortSignal | undefined;
  readonly #end = () => this.#ended?.abort();

  constructor(cancelSignal: AbortSignal, stopping: AbortSignal) {
    this.#cancelled = cancelSignal;
    this.#stopping = stopping;
  }

  get signal(): AbortSignal {
    this.#ended ??= new AbortController();
    this.#signal ??= AbortSignal.any([this.#cancelled, this.#ended.signal]);
    return this.#signal;
  }

  get isOver(): boolean {
    return this.#ended?.signal.aborted ?? false;
  }

  follow(): void {
    this.#stopping.addEventListener("abort", this.#end, { signal: this.signal });
  }

  leave(): void {
    if (this.#ended) this.#stopping.removeEventListener("abort", this.#end);
  }
}

function callerOf({ metadata }: { metadata: Metadata }): ServiceIdentity {
  const callerName = metadata.get(callerKey);
  const caller = serviceIdentities.find((identity) => identity === callerName);
  if (caller === undefined) throw new Error("The identity of the caller was not checked");
  return caller;
}
