import type { PlanSubscriptionStatus } from "@factory/schema/vocabularies/plans";
/** Activation works from any state (spine specification, States and transitions). */
export const planSubscriptionStates = {
  Pending: { next: ["Trialing", "Active", "Cancelled"], event: "SubscriptionCreated" },
  Trialing: { next: ["Active", "Cancelled", "Expired"], event: "SubscriptionTrialStarted" },
  Active: { next: ["Active", "PastDue", "Cancelled"], event: "SubscriptionActivated" },
  PastDue: { next: ["Active", "Suspended", "Cancelled"], event: "SubscriptionLapsed" },
  Suspended: { next: ["Active", "Cancelled"], event: "SubscriptionSuspended" },
  Cancelled: { next: ["Active"], event: "SubscriptionCancelled" },
  Expired: { next: ["Active"], event: "SubscriptionExpired" },
} as const satisfies Record<PlanSubscriptionStatus, object>;

export type PlanSubscriptionState = PlanSubscriptionStatus;

/** The states from which a caller can cancel. */
export const cancellableStates: readonly PlanSubscriptionState[] = [
  "Pending",
  "Trialing",
  "Active",
  "PastDue",
  "Suspended",
];
