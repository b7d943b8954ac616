// tables: webhook_messages, webhook_subscriptions
import type { RetentionRule } from "@factory/runtime/db/retention";

/** Deleted subscriptions are kept for as long as their messages, and at least this number of days. */
export const deletedSubscriptions = (days: number): RetentionRule => ({
  table: "webhook_subscriptions",
  expired: `deleted_at < now() - interval '${days} days' and status = 'Deleted' and not exists (
    select from webhook_messages message where message.tenant_id = webhook_subscriptions.tenant_id
      and message.subscription_id = webhook_subscriptions.subscription_id)`,
  order: "deleted_at",
});
