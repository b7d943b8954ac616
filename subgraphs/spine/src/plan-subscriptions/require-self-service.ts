import { DomainError } from "@factory/runtime/errors/domain-error";
import type { EditionOffer } from "../editions/edition-offer.js";
import type { PlanSubscription } from "./plan-subscription.entity.js";
import type { PlanSubscriptionState } from "./plan-subscription.states.js";

/** The states in which a tenant has lost its edition, or is about to lose it. */
const lostStates: readonly PlanSubscriptionState[] = ["PastDue", "Suspended", "Cancelled", "Expired"];

/**
 * Throws EDITION_NOT_SELF_SERVICE when a tenant asks for more than it has of an edition that only a platform
 * administrator gives.
 */
export function requireSelfService(
  { tenantId, subscriptionId, editionCode: current, status }: PlanSubscription,
  editionCode: string,
  offer: EditionOffer | undefined,
): void {
  const isMore = editionCode !== current || lostStates.includes(status);
  if (!isMore || offer?.selfService !== false) return;
  throw new DomainError("EDITION_NOT_SELF_SERVICE", {
    detail: `Only a platform administrator activates the edition ${editionCode}. Ask the operator of the platform for it, and name the tenant ${tenantId} and its plan subscription ${subscriptionId}. A platform administrator then calls activateTenantPlanSubscription.`,
    editionCode,
  });
}
