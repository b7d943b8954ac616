// tables: webhook_messages, tenant_projections
import type { RetentionRule } from "@factory/runtime/db/retention";
import type { SettingKey } from "@factory/schema/tenant-setting-values";
import { messageRetention } from "./webhook-message.retention.js";

const key = "retention.webhookDays" satisfies SettingKey;
const batchPerTenant = 1000;

/**
 * Ended messages for tenants that have set a shorter period than the platform's number of days. A message ends after it
 * was created, and the index on subscriptions has the creation time.
 */
export function tenantMessageRetention(days: number): RetentionRule {
  const cutoff = `now() - make_interval(days => least(${days}, (copy.settings ->> '${key}')::int))`;
  return {
    ...messageRetention(days),
    expired: `(tenant_id, message_id) in (
      select ended.tenant_id, ended.message_id from tenant_projections copy cross join lateral (
        select message.tenant_id, message.message_id from webhook_messages message
        where message.tenant_id = copy.tenant_id and message.created_at < ${cutoff} and message.finished_at < ${cutoff}
        limit ${batchPerTenant}) ended
      where jsonb_typeof(copy.settings -> '${key}') = 'number')`,
  };
}
