/** Activation works from any state (spine specification, States and transitions). */
export const planSubscriptionStates = {
  Pending: { next: ["Active", "Cancelled"], event: "SubscriptionCreated" },
  Trialing: { next: ["Active", "Cancelled", "Expired"], event: "SubscriptionCreated" },
  Active: { next: ["Active", "PastDue", "Cancelled"], event: "SubscriptionActivated" },
  PastDue: { next: ["Active", "Suspended", "Cancelled"], event: "SubscriptionLapsed" },
  Suspended: { next: ["Active", "Cancelled"], event: "SubscriptionSuspended" },
  Cancelled: { next: ["Active"], event: "SubscriptionCancelled" },
  Expired: { next: ["Active"], event: "SubscriptionExpired" },
} as const;

export type PlanSubscriptionState = keyof typeof planSubscriptionStates;
