import type { RetentionRule } from "@factory/runtime/db/retention";

/** A resource without a refusal for 90 days begins anew. */
export const refusalRetention: RetentionRule = {
  table: "refused_deliveries",
  expired: "last_refused_at < now() - interval '90 days'",
  order: "last_refused_at",
};
