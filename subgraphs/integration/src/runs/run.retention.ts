import type { RetentionRule } from "@factory/runtime/db/retention";

/** Ended runs are kept for this number of days. */
export const runRetention = (days: number): RetentionRule => ({
  table: "runs",
  expired: `completed_at < now() - interval '${days} days'`,
  order: "completed_at",
});
