import type { EditionFeature } from "@factory/schema/edition-features";
import type { EntitlementReason } from "@factory/schema/vocabularies/plans";
import { type Consumer, type Entitlement, isEntitledState } from "./entitlement.js";
import type { TenantPlan } from "./tenant-plans.js";
import { type CountedFeature, usagePeriod } from "./usage/period.js";
import type { UsageAnswer } from "./usage/usage.service.js";

type FeatureOfPlan = Pick<Entitlement, "featureKey" | "editionCode">;

/** Why a feature is refused whatever its usage is; undefined if it is not. */
export function planRefusal(
  { status }: TenantPlan,
  consumer: Consumer,
  feature: EditionFeature | undefined,
): EntitlementReason | undefined {
  if (!isEntitledState(consumer, status)) return "SubscriptionInactive";
  if (!feature || (feature.kind === "boolean" && !feature.enabled)) return "FeatureNotInEdition";
  return undefined;
}

/** The answer for a refused feature. */
export function refusedAnswer(of: FeatureOfPlan, reason: EntitlementReason): Entitlement {
  return { ...of, allowed: false, reason, softLimit: false };
}

/** The answer for a feature without usage. */
export function valueAnswer(of: FeatureOfPlan, feature: EditionFeature): Entitlement {
  const config = feature.kind === "config" ? { config: feature.value } : {};
  return { ...of, allowed: true, reason: "Entitled", softLimit: false, ...config };
}

/** Whether the feature is used up or measured. Other features have a value only. */
export function isCounted(feature: EditionFeature): feature is CountedFeature {
  return feature.kind === "limit" || feature.kind === "metered";
}

/** The answer that the current usage gives. Nothing is counted. */
export function lookedUsage(
  feature: CountedFeature,
  usage: number | undefined,
  { amount, now }: { amount: number; now: Date },
): UsageAnswer {
  const { limit } = feature;
  const exceeds = limit !== null && (usage ?? 0) + amount > limit;
  const isSoft = feature.kind === "metered" && feature.soft;
  return { allowed: !exceeds || isSoft, exceeds, usage, limit, period: usagePeriod(feature, now) };
}

/** The answer for a feature whose usage was counted or looked at. */
export function countedAnswer(of: FeatureOfPlan, feature: CountedFeature, answer: UsageAnswer): Entitlement {
  const { allowed, exceeds, usage, limit, period } = answer;
  const reasonOfAllowed = exceeds ? "SoftLimitExceeded" : "Entitled";
  return {
    ...of,
    allowed,
    reason: allowed ? reasonOfAllowed : "LimitReached",
    softLimit: feature.kind === "metered" && feature.soft,
    ...(limit === null ? {} : { limit }),
    ...(usage === undefined ? {} : { currentUsage: usage }),
    ...(limit === null || usage === undefined ? {} : { remaining: Math.max(0, limit - usage) }),
    ...(period.resetAt === undefined ? {} : { resetAt: period.resetAt }),
  };
}
