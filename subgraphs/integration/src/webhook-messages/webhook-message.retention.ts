import type { RetentionRule } from "@factory/runtime/db/retention";

/** For the event log: with the events `gone` their messages would lose what they send. */
export const keepEnvelopes = `update webhook_messages message set envelope = gone.envelope from gone
  where message.tenant_id = gone.tenant_id and message.event_id = gone.event_id`;

/** Messages are kept for so long after they have ended, and with them their attempts. */
export const messageRetention = (days: number): RetentionRule => ({
  table: "webhook_messages",
  expired: `finished_at < now() - interval '${days} days'`,
  order: "finished_at",
  remember: [
    `delete from webhook_attempts attempt using gone
     where attempt.tenant_id = gone.tenant_id and attempt.message_id = gone.message_id`,
  ],
});
