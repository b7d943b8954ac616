import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EditionFeatures } from "@factory/schema/edition-features";
import type { BillingCycle } from "@factory/schema/vocabularies/plans";
import type { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import { type EditionOffer, editionOffer } from "../../tenants/editions/edition-offer.js";
import { completePlanChange, type LockedPlan } from "./change-plan-subscription.js";
import { firstPeriodEnd } from "./plan-period.js";
import type { PlanSubscription } from "./plan-subscription.entity.js";
import { recordPlanChange } from "./plan-subscription.events.js";
import type { ActivatePlanSubscriptionInput } from "./plan-subscription.input.js";
import type { PlanSubscriptionState } from "./plan-subscription.states.js";

type Input = ActivatePlanSubscriptionInput | null | undefined;

/** The states in which a tenant has lost its edition, or is about to lose it. */
const lostStates: readonly PlanSubscriptionState[] = ["PastDue", "Suspended", "Cancelled", "Expired"];

/**
 * The activation that an input asks for. Every request for one goes through here, so that a tenant gets only what it may
 * choose itself.
 */
export class PlanActivation {
  readonly #editions: EditionCatalog;
  readonly #code: string | undefined;
  readonly #cycle: BillingCycle | undefined;

  /** Throws VALIDATION_FAILED for an unknown billing cycle. */
  constructor(editions: EditionCatalog, input: Input) {
    this.#editions = editions;
    this.#code = input?.editionCode ?? undefined;
    this.#cycle = input?.billingCycle ?? undefined;
  }

  /** Brings an edition that another process wrote into memory, since the event shows its features. */
  readonly prepare = async (): Promise<void> => {
    if (this.#code !== undefined) await this.#editions.canBeChosen(this.#code);
  };

  async byTenant(transaction: Transaction, lockedPlan: LockedPlan): Promise<void> {
    const { plan } = lockedPlan;
    const code = this.#code ?? plan.editionCode;
    const offer = await this.#offerOf(transaction, lockedPlan);
    requireSelfService(plan, code, offer);
    await this.#activate(transaction, lockedPlan);
  }

  async byPlatform(transaction: Transaction, lockedPlan: LockedPlan): Promise<void> {
    await this.#offerOf(transaction, lockedPlan);
    await this.#activate(transaction, lockedPlan);
  }

  /** Throws REFERENCE_NOT_FOUND for an edition that is unknown or retired, unless the tenant has it already. */
  async #offerOf(transaction: Transaction, { plan }: LockedPlan) {
    const code = this.#code ?? plan.editionCode;
    const offer = await editionOffer(transaction, code);
    if (code !== plan.editionCode && offer?.active !== true) throw this.#editions.unknown("/input/editionCode");
    return offer;
  }

  async #activate(transaction: Transaction, lockedPlan: LockedPlan): Promise<void> {
    const { plan } = lockedPlan;
    const editionCode = this.#code ?? plan.editionCode;
    const billingCycle = this.#cycle ?? plan.billingCycle ?? "Monthly";
    const entitlements = this.#editions.featuresOf(editionCode);
    await activatePlan(transaction, lockedPlan, { editionCode, billingCycle, entitlements });
  }
}

/**
 * Throws EDITION_NOT_SELF_SERVICE when a tenant asks for more than it has from an edition that only a platform
 * administrator gives.
 */
function requireSelfService(
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

/** An activation request, with the defaults filled in. */
export interface Activation {
  readonly editionCode: string;
  readonly billingCycle: BillingCycle;
  readonly entitlements: EditionFeatures;
}

/**
 * Makes the plan subscription Active, from any state. An Active one keeps its period as long as the billing cycle stays
 * the same, and does not change at all when it has what was asked for. An activation takes back a cancellation that has
 * not taken effect.
 */
async function activatePlan(transaction: Transaction, lockedPlan: LockedPlan, activation: Activation): Promise<void> {
  const { plan, tenant, now } = lockedPlan;
  const { editionCode, billingCycle, entitlements } = activation;
  const keepsPeriod = plan.status === "Active" && plan.billingCycle === billingCycle;
  if (keepsPeriod && plan.editionCode === editionCode && plan.cancelAt === null) return;
  plan.status = "Active";
  plan.editionCode = editionCode;
  plan.cancelAt = plan.pastDueSince = null;
  plan.paidAt = now;
  if (!keepsPeriod) {
    plan.billingCycle = billingCycle;
    plan.anchorAt = plan.currentPeriodStart = now;
    plan.currentPeriodEnd = firstPeriodEnd(now, billingCycle);
  }
  if (tenant.editionCode !== editionCode) {
    tenant.editionCode = editionCode;
    tenant.updatedAt = now;
  }
  recordPlanChange(transaction, plan, "SubscriptionActivated", { effectiveAt: now, entitlements });
  await completePlanChange(transaction, lockedPlan);
}
