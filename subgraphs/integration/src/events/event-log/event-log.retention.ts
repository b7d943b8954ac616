import type { RetentionRule } from "@factory/runtime/db/retention";
import { keepEnvelopes } from "../../webhooks/webhook-messages/webhook-message.retention.js";

/**
 * Events are kept for 7 days. Each tenant's newest deleted sequence is stored, so that an older cursor is refused.
 * Webhook messages are kept longer, so they get a copy of their event before it is deleted.
 */
export const eventLogRetention: RetentionRule = {
  table: "event_log",
  expired: "recorded_at < now() - interval '7 days'",
  order: "recorded_at",
  remember: [
    keepEnvelopes,
    `insert into event_log_horizons as horizon (tenant_id, pruned_through)
    select tenant_id, max(sequence) from gone group by tenant_id
    on conflict (tenant_id) do update
      set pruned_through = greatest(horizon.pruned_through, excluded.pruned_through)`,
  ],
};
