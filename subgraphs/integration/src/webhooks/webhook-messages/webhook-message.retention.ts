import type { RetentionRule } from "@factory/runtime/db/retention";

/** Copies the events that the event log deletes (`gone`) to their messages. */
export const keepEnvelopes = `update webhook_messages message set envelope = gone.envelope from gone
  where message.tenant_id = gone.tenant_id and message.event_id = gone.event_id`;

/** Ended messages and their attempts are kept for this number of days. */
export const messageRetention = (days: number): RetentionRule => ({
  table: "webhook_messages",
  expired: `finished_at < now() - interval '${days} days'`,
  order: "finished_at",
  remember: [
    `delete from webhook_attempts attempt using gone
     where attempt.tenant_id = gone.tenant_id and attempt.message_id = gone.message_id`,
  ],
});
