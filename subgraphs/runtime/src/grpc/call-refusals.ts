import { errorCodes } from "@factory/schema/error-codes";
import type { Principal } from "../auth/principal.js";
import { peerNetworkOf } from "../ingress/client-address.js";
import type { Origin } from "../messages/audit-record.js";
import { isAuditedStatus, type RefusalSink } from "../messages/refusal.js";
import type { Logger } from "../telemetry/logger.js";
import type { Trace } from "../telemetry/trace.js";
import { toWireStatus, type WireStatus } from "./error-status.js";

type MetadataKey =
  | "authorization"
  | "correlation-id"
  | "idempotency-key"
  | "traceparent"
  | "user-agent"
  | "x-tenant-id";

/** A call's metadata. */
export interface CallMetadata {
  get(key: MetadataKey): string | undefined;
  getAll(key: MetadataKey): readonly string[];
}

/** Where a call came from. */
export interface CallSource {
  readonly peer: string;
  readonly metadata: CallMetadata;
}

interface RefusedCall extends CallSource {
  readonly path: string;
  readonly trace: Trace;
  readonly principal: Principal | undefined;
  /** Whether the call was ended because the server stops. */
  readonly isStopped: boolean;
}

/** Turns call errors into statuses. It logs defects, and tells the audit log about refusals. */
export class CallRefusals {
  readonly #logger: Logger;
  readonly #sink: RefusalSink;

  constructor(logger: Logger, sink: RefusalSink) {
    this.#logger = logger;
    this.#sink = sink;
  }

  statusOf(error: unknown, call: RefusedCall): WireStatus {
    const { path, trace, principal, isStopped } = call;
    const answer = toWireStatus(error);
    const { reason } = answer;
    const facts = { err: error, method: path, traceId: trace.traceId };
    if (reason === "INTERNAL") this.#logger.error(facts, "a bug was answered as INTERNAL");
    else if (reason === "UNAVAILABLE" && !isStopped) this.#logger.warn(facts, "a request was answered as UNAVAILABLE");
    const status = errorCodes[reason].status ?? 409;
    const operation = `POST ${path}`;
    if (isAuditedStatus(status))
      this.#sink.note({ operation, code: reason, status, trace, principal, origin: originOfCall(call) });
    return answer;
  }
}

/** A call's address and user agent, for the audit log. */
export const originOfCall = ({ peer, metadata }: CallSource): Origin => ({
  address: peerNetworkOf(peer),
  userAgent: metadata.get("user-agent"),
});
