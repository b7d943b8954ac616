import type { RetentionRule } from "@factory/runtime/db/retention";

/** A breaker that has not been paused for a day is closed, or its receiver is gone. */
export const breakerRetention: RetentionRule = {
  table: "webhook_breakers",
  expired: "paused_until < now() - interval '1 day'",
  order: "paused_until",
};
