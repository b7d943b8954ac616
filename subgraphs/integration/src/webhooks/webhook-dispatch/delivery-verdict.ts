import type { EgressResponse } from "@factory/runtime/egress/egress";
import { EgressBlockedError, EgressFailure, type EgressFailureKind } from "@factory/runtime/egress/egress-errors";
import type { AttemptFailure, DisabledReason } from "@factory/schema/vocabularies/webhooks";
import { parseRetryAfter } from "../../ground/egress/retry-after.js";
import type { RetryHint } from "./retry-schedule.js";

/** An attempt's result, before it is stored. */
export interface DeliveryVerdict {
  readonly kind: "delivered" | "failed" | "aborted";
  readonly failure: AttemptFailure | null;
  readonly detail: string | null;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly retry: RetryHint;
  /** The reason to disable the subscription, if the receiver asked for it. */
  readonly disable?: DisabledReason;
}

const overloadedStatuses = new Set([429, 502, 504]);
const statusGone = 410;
const storedBytes = 16 * 1024;

const failureOfKind: Record<EgressFailureKind, AttemptFailure> = {
  connect: "ConnectFailed",
  timeout: "Timeout",
  tls: "TlsFailed",
  reset: "ConnectionReset",
  protocol: "ProtocolError",
};

/**
 * The verdict on a response. A 2xx status is a success. With 410 or the header `webhook-delivery` the receiver refuses
 * more messages. Every other response leads to a retry.
 */
export function responseVerdict(response: EgressResponse, now: number): DeliveryVerdict {
  const { status: statusCode } = response;
  const answerFacts = {
    statusCode,
    responseBody: response.body.subarray(0, storedBytes).toString("utf8"),
    retry: { overloaded: false },
  };
  const wish = header(response, "webhook-delivery")?.trim().toLowerCase();
  const isSuccess = statusCode >= 200 && statusCode < 300;
  const failure = isSuccess ? null : "HttpStatus";
  const detail = isSuccess ? null : `The receiver answered with the status ${statusCode}.`;
  if (statusCode === statusGone) return { ...answerFacts, kind: "aborted", failure, detail, disable: "ReceiverGone" };
  if (wish === "disable")
    return { ...answerFacts, kind: isSuccess ? "delivered" : "aborted", failure, detail, disable: "ReceiverDisabled" };
  if (isSuccess) return { ...answerFacts, kind: "delivered", failure, detail };
  if (wish === "abort-message") return { ...answerFacts, kind: "aborted", failure, detail };
  const retryAfterMs = parseRetryAfter(header(response, "retry-after"), now);
  const retry = { overloaded: overloadedStatuses.has(statusCode), retryAfterMs };
  return { ...answerFacts, kind: "failed", failure, detail, retry };
}

/**
 * The verdict on an attempt without a response. Undefined when the cause is a bug or this process's stop, and not the
 * receiver.
 */
export function errorVerdict(error: unknown): DeliveryVerdict | undefined {
  if (error instanceof EgressBlockedError) return failedVerdict("TargetBlocked", error.reason);
  if (!(error instanceof EgressFailure)) return undefined;
  const verdict = failedVerdict(failureOfKind[error.kind], error.message);
  return error.kind === "timeout" ? { ...verdict, retry: { overloaded: true } } : verdict;
}

export function failedVerdict(failure: AttemptFailure, detail: string): DeliveryVerdict {
  return { kind: "failed", failure, detail, statusCode: null, responseBody: null, retry: { overloaded: false } };
}

function header(response: EgressResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
