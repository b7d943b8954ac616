import { DomainError } from "@factory/runtime/errors/domain-error";
import type { EntitlementReason } from "@factory/schema/vocabularies/plans";
import type { Entitlement } from "./entitlement.js";

const explanations: Readonly<Partial<Record<EntitlementReason, (featureKey: string) => string>>> = {
  SubscriptionInactive: () => "The plan subscription of the tenant is not active. Activate it to continue.",
  LimitReached: (featureKey) =>
    `The limit of ${featureKey} is reached. Remove what is no longer needed, or choose an edition with a higher limit.`,
};

/**
 * The error for a refused entitlement: QUOTA_EXCEEDED for a used-up metered feature, which starts anew at `resetAt`,
 * otherwise ENTITLEMENT_DENIED.
 */
export function refusedEntitlement(answer: Entitlement, now: Date): DomainError {
  const { featureKey, editionCode, limit, reason, resetAt } = answer;
  const facts = { featureKey, editionCode, ...(limit === undefined ? {} : { limit }) };
  if (reason === "LimitReached" && resetAt !== undefined)
    return new DomainError("QUOTA_EXCEEDED", {
      detail: `The quota of ${featureKey} is used up until ${resetAt.toISOString()}. Wait until then, or choose an edition with a higher limit.`,
      ...facts,
      resetAt: resetAt.toISOString(),
      retryAfterSeconds: Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000)),
    });
  const explain = explanations[reason] ?? ((key) => `The edition ${editionCode} does not have the feature ${key}.`);
  return new DomainError("ENTITLEMENT_DENIED", { detail: explain(featureKey), ...facts });
}

/** A feature's limit in the tenant's edition. */
export interface FeatureLimit {
  readonly featureKey: string;
  readonly editionCode: string;
  /** Null: unlimited. */
  readonly limit: number | null;
}

/** Throws ENTITLEMENT_DENIED for a usage above the limit. */
export function requireWithinLimit({ featureKey, editionCode, limit }: FeatureLimit, usage: number): void {
  if (limit === null || usage <= limit) return;
  const reason = "LimitReached";
  throw refusedEntitlement({ featureKey, editionCode, limit, reason, allowed: false, softLimit: false }, new Date());
}
