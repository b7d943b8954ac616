import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { WebhookAttempt } from "./webhook-attempt.entity.js";
import { WebhookMessage } from "./webhook-message.entity.js";
import type { WebhookAttemptType, WebhookMessageType } from "./webhook-message.type.js";

const shownMembers = [
  "messageId",
  "subscriptionId",
  "eventId",
  "eventType",
  "status",
  "attempts",
  "nextAttemptAt",
  "finishedAt",
  "createdAt",
] as const satisfies (keyof WebhookMessage)[];
type ShownMember = (typeof shownMembers)[number];

/** The text keeps the microseconds, for cursors. */
export const messageColumns = `${columnsOf(WebhookMessage, shownMembers)}, created_at::text as created_at_text`;
export type MessageRow = RowOf<WebhookMessage, ShownMember> & { created_at_text: string };
/** All columns, for statements that read others. */
export type StoredMessageRow = RowOf<WebhookMessage>;
export const readMessage = rowReader(WebhookMessage);

export const attemptColumns = columnsOf(WebhookAttempt);
/** A row from `webhook_attempts`, also as `to_jsonb` returns it. */
export type AttemptRow = RowOf<WebhookAttempt>;
const readAttempt = rowReader(WebhookAttempt);

export function messageView(message: RecordOf<WebhookMessage, ShownMember>): WebhookMessageType {
  const { messageId, subscriptionId, eventId, eventType, status, attempts } = message;
  return {
    ...{ messageId, subscriptionId, eventId, eventType, status, attemptCount: attempts },
    // While the message is Delivering, the column holds the time when its claim ends.
    nextAttemptAt: status === "Delivering" ? null : (message.nextAttemptAt?.toISOString() ?? null),
    createdAt: message.createdAt.toISOString(),
    finishedAt: message.finishedAt?.toISOString() ?? null,
  };
}

export function attemptView(row: AttemptRow): WebhookAttemptType {
  const { tenantId: _tenant, subscriptionId: _subscription, startedAt, ...attempt } = readAttempt(row);
  return { ...attempt, startedAt: startedAt.toISOString() };
}
