import type { RetentionRule } from "@factory/runtime/db/retention";

/** Ended commands are kept for this number of days. For so long the same command has no second effect. */
export const vendorCommandRetention = (days: number): RetentionRule => ({
  table: "vendor_commands",
  expired: `ended_at < now() - interval '${days} days'`,
  order: "ended_at",
});
