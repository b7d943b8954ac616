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
