import type { RetentionRule } from "@factory/runtime/db/retention";

/** A consumption's key is kept for 24 hours, and a period's counters for 400 days after it. */
export const usageRetention: readonly RetentionRule[] = [
  { table: "usage_consumptions", expired: "expires_at <= now()", order: "expires_at" },
  { table: "usage_counters", expired: "keep_until <= now()", order: "keep_until" },
];
