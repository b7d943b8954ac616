import type { Envelope } from "@factory/runtime/messages/envelope";

/**
 * The body of a webhook: the canonical envelope with `type`, `timestamp` and `data`, as the Standard Webhooks
 * specification requires. `sequence` is that of the event log.
 */
export const webhookBody = (envelope: Envelope, sequence: string) => ({
  ...envelope,
  sequence,
  timestamp: envelope.time,
});
