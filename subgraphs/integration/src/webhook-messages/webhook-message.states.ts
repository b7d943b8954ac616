export const webhookMessageStates = {
  Pending: { next: ["Delivering", "Skipped"] },
  Delivering: { next: ["Delivered", "RetryScheduled", "Exhausted", "Aborted", "Pending", "Skipped"] },
  RetryScheduled: { next: ["Delivering", "Aborted", "Skipped"] },
  Delivered: { next: ["Pending"] },
  Exhausted: { next: ["Pending"] },
  Aborted: { next: ["Pending"] },
  Skipped: { next: ["Pending"] },
} as const;

export type WebhookMessageState = keyof typeof webhookMessageStates;

/** Condition of the messages that are still to be sent; word for word that of their index. */
export const isWaiting = "status in ('Pending', 'Delivering', 'RetryScheduled')";

/**
 * Messages that wait although no dispatcher will come for them, for the sweeper, which expects to find none. A due time
 * more than 60 s ago is normal in two cases: the breaker of the receiver is open, or the tenant has so many messages
 * that they wait for each other, which shows in a claim of the tenant that is alive. `message` is the table's alias.
 */
export const lyingMessages = {
  table: "webhook_messages message",
  condition: `message.status in ('Pending', 'Delivering', 'RetryScheduled')
    and coalesce(message.next_attempt_at, message.created_at) < now() - interval '60 seconds'
    and not exists (
      select from webhook_breakers breaker
      where breaker.tenant_id = message.tenant_id and breaker.origin = message.origin
        and breaker.paused_until > now() - interval '60 seconds')
    and not exists (
      select from webhook_messages other
      where other.tenant_id = message.tenant_id and other.status = 'Delivering' and other.next_attempt_at > now())`,
} as const;

export const attemptOutcomes = ["Succeeded", "Failed"] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** What went wrong with an attempt. */
export type AttemptFailure =
  | "HttpStatus"
  | "Timeout"
  | "ConnectFailed"
  | "TlsFailed"
  | "ConnectionReset"
  | "ProtocolError"
  | "TargetBlocked"
  | "SigningSecretUnavailable"
  | "InternalError";
