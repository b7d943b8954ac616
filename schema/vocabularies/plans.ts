import { type ValueOf, vocabulary } from "./vocabulary.js";

export const planSubscriptionStatuses = vocabulary("PlanSubscriptionStatus", "The states of a plan subscription.", {
  Pending: "The subscription was not activated yet.",
  Trialing: "The trial runs.",
  Active: "The subscription is paid.",
  PastDue: "A payment has failed. The features stay until the grace period ends.",
  Suspended: "The grace period has ended without a payment.",
  Cancelled: "The subscription has ended at the wish of the tenant or the operator.",
  Expired: "The trial has ended without an activation.",
});
export type PlanSubscriptionStatus = ValueOf<typeof planSubscriptionStatuses>;

export const billingCycleNames = vocabulary("BillingCycle", "The lengths of a paid period.", {
  Monthly: "One month.",
  Annual: "Twelve months.",
});
export type BillingCycle = ValueOf<typeof billingCycleNames>;

export const featureKinds = vocabulary("FeatureKind", "The kinds of features of an edition.", {
  boolean: "The feature is on or off.",
  limit: "The feature has a highest number.",
  metered: "The feature has a highest usage in each period.",
  config: "The feature has a value of its own.",
});
export type FeatureKind = ValueOf<typeof featureKinds>;

export const entitlementReasons = vocabulary("EntitlementReason", "Why a feature is allowed or refused.", {
  Entitled: "The edition has the feature, and its limit is not reached.",
  SoftLimitExceeded: "The limit is exceeded, and the edition allows it.",
  FeatureNotInEdition: "The edition does not have the feature, or it is switched off.",
  FeatureUnknown: "No edition has the feature.",
  LimitReached: "The limit is reached.",
  SubscriptionInactive: "The plan subscription is in a state without features.",
});
export type EntitlementReason = ValueOf<typeof entitlementReasons>;
