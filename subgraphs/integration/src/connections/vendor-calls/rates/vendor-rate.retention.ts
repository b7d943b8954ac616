import type { RetentionRule } from "@factory/runtime/db/retention";

/** A row without a call for a day says nothing any more. */
export const vendorRateRetention: RetentionRule = {
  table: "vendor_rates",
  expired: "next_at < now() - interval '1 day' and (paused_until is null or paused_until < now())",
  order: "next_at",
};
