import type { RetentionRule } from "@factory/runtime/db/retention";

/** A breaker that has not been paused for a day is closed, or its receiver is gone. */
export const breakerRetention: RetentionRule = {
  table: "webhook_breakers",
  expired: "paused_until < now() - interval '1 day'",
  order: "paused_until",
};

/** A pace that was not used for a day has all its turns again, as one that has no row. */
export const paceRetention: RetentionRule = {
  table: "webhook_paces",
  expired: "next_at < now() - interval '1 day'",
  order: "next_at",
};
