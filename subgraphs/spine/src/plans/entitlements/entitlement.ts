import type { EntitlementReason } from "@factory/schema/vocabularies/plans";
import type { PlanSubscriptionState } from "../plan-subscriptions/plan-subscription.states.js";

/** The answer to a check. `undefined` members do not apply to the feature, or are unlimited. */
export interface Entitlement {
  readonly featureKey: string;
  readonly allowed: boolean;
  readonly reason: EntitlementReason;
  readonly editionCode: string;
  readonly limit?: number;
  readonly currentUsage?: number;
  readonly remaining?: number;
  readonly resetAt?: Date;
  readonly softLimit: boolean;
  /** A configuration feature's value. */
  readonly config?: unknown;
}

/** The side that asks: a product, or a platform operation. Its plan subscription states count. */
export type Consumer = "product" | "platform";

/**
 * The states in which a tenant has its edition's features (spine specification, Entitlements). The platform itself also
 * serves a tenant whose plan subscription was not activated yet.
 */
const entitledStates: Readonly<Record<Consumer, readonly (PlanSubscriptionState | null)[]>> = {
  product: ["Trialing", "Active", "PastDue"],
  platform: ["Pending", "Trialing", "Active", "PastDue", null],
};

export const isEntitledState = (consumer: Consumer, status: PlanSubscriptionState | null): boolean =>
  entitledStates[consumer].includes(status);
