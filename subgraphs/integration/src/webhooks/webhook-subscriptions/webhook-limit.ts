import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

const featureKey = "webhooks.max";

/** Plan subscription states in which nothing new may be created. */
const endedStates = ["Suspended", "Cancelled", "Expired"];

const lock = { name: "webhook_limit_lock", text: "select pg_advisory_xact_lock(hashtextextended($1, 0))" };

/** Subscriptions that the platform has disabled do not count. */
const count = {
  name: "webhook_limit_count",
  text: `select count(*)::int as count from webhook_subscriptions
    where tenant_id = $1 and status in ('Active', 'Paused')`,
};

/**
 * Throws ENTITLEMENT_DENIED unless the tenant's plan allows one more webhook subscription. The lock lasts until the
 * transaction ends, so that requests at the same time cannot exceed the limit together.
 */
export async function requireRoomForWebhook(
  { defer, execute, tenant }: Transaction,
  facts: FactsOfTenant,
): Promise<void> {
  const { editionCode, subscriptionStatus = "" } = facts;
  if (editionCode === undefined) return;
  if (endedStates.includes(subscriptionStatus))
    throw denial(
      `The plan subscription of the tenant is ${subscriptionStatus}. Activate it to create webhook subscriptions.`,
      { editionCode },
    );
  const feature = facts.feature(featureKey);
  if (feature?.kind !== "limit")
    throw denial(`The edition ${editionCode} does not have the feature ${featureKey}.`, { editionCode });
  const { limit } = feature;
  if (limit === null) return;
  await defer(lock, [hashedLocks.webhookSubscriptions(tenant.tenantId)]);
  const [row] = await execute<{ count: number }>(count, [tenant.uuid]);
  if ((row?.count ?? 0) >= limit)
    throw denial(
      `The edition ${editionCode} allows ${limit} webhook subscriptions, and the tenant has ${row?.count ?? 0}. Choose an edition with a higher limit.`,
      { editionCode, limit },
    );
}

const denial = (detail: string, facts: { editionCode: string; limit?: number }) =>
  new DomainError("ENTITLEMENT_DENIED", { detail, featureKey, ...facts });
