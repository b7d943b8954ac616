import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { AttemptFailure, AttemptOutcome, WebhookMessageState } from "./webhook-message.states.js";
import type { WebhookAttemptType, WebhookMessageType } from "./webhook-message.type.js";

/** The columns that `messageView` reads. The text keeps the microseconds, for cursors. */
export const messageColumns = `message_id, subscription_id, event_id, event_type, status, attempts, next_attempt_at,
  created_at, created_at::text as created_at_text, finished_at`;

/** A row of `webhook_messages` as PostgreSQL returns it. */
export interface MessageRow {
  message_id: string;
  subscription_id: string;
  event_id: string;
  event_type: string;
  status: WebhookMessageState;
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
  created_at_text: string;
  finished_at: Date | null;
}

/** The columns that `attemptView` reads. */
export const attemptColumns = `attempt_id, message_id, number, outcome, failure, detail, status_code, request_url,
  request_headers, response_headers, response_body, started_at, duration_ms`;

/** A row of `webhook_attempts`, also as `to_jsonb` returns it. */
export interface AttemptRow {
  attempt_id: string;
  message_id: string;
  number: number;
  outcome: AttemptOutcome;
  failure: AttemptFailure | null;
  detail: string | null;
  status_code: number | null;
  request_url: string | null;
  request_headers: Record<string, string> | null;
  response_headers: Record<string, string> | null;
  response_body: string | null;
  started_at: Date | string;
  duration_ms: number;
}

export function messageView(row: MessageRow): WebhookMessageType {
  return {
    messageId: encodeId("msg", row.message_id),
    subscriptionId: encodeId("whs", row.subscription_id),
    eventId: encodeId("evt", row.event_id),
    eventType: row.event_type,
    status: row.status,
    attemptCount: row.attempts,
    // While the message is Delivering, the column holds the end of its claim.
    nextAttemptAt: row.status === "Delivering" ? null : (row.next_attempt_at?.toISOString() ?? null),
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}

export function attemptView(row: AttemptRow): WebhookAttemptType {
  return {
    attemptId: encodeId("att", row.attempt_id),
    messageId: encodeId("msg", row.message_id),
    number: row.number,
    outcome: row.outcome,
    failure: row.failure,
    detail: row.detail,
    statusCode: row.status_code,
    requestUrl: row.request_url,
    requestHeaders: row.request_headers,
    responseHeaders: row.response_headers,
    responseBody: row.response_body,
    startedAt: new Date(row.started_at).toISOString(),
    durationMs: row.duration_ms,
  };
}
