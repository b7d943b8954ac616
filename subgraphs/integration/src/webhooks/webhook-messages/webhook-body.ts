import type { Envelope } from "@factory/runtime/messages/envelope";

/**
 * A webhook's body: the canonical envelope with `type`, `timestamp` and `data`, as the Standard Webhooks specification
 * requires. `sequence` comes from the event log.
 */
export const webhookBody = (envelope: Envelope, sequence: string) => ({
  ...envelope,
  sequence,
  timestamp: envelope.time,
});
