import type { RetentionRule } from "@factory/runtime/db/retention";
import { keepEnvelopes } from "../webhook-messages/webhook-message.retention.js";

/**
 * Events are kept for a week; up to where a tenant's were forgotten is remembered, so that an older cursor is told.
 * Webhook messages live longer, and take over the events that they are made of.
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
