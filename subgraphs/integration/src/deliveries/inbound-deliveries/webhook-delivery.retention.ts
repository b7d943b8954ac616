import type { RetentionRule } from "@factory/runtime/db/retention";

/** Ended deliveries are kept for this number of days. For so long their ids are refused with another body. */
export const deliveryRetention = (days: number): RetentionRule => ({
  table: "webhook_deliveries",
  expired: `received_at < now() - interval '${days} days' and status in ('Processed', 'Ignored', 'DeadLettered')`,
  order: "received_at",
});
