import { DomainError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import { type EditionOffer, editionOffer } from "../../tenants/editions/edition-offer.js";
import { activatePlan } from "./activate-plan-subscription.js";
import type { LockedPlan } from "./change-plan-subscription.js";
import { type BillingCycle, billingCycles } from "./plan-period.js";
import type { PlanSubscription } from "./plan-subscription.entity.js";
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
    this.#cycle = billingCycleOf(input);
  }

  /** Brings an edition of another process into memory, whose features the event shows. */
  readonly prepare = async (): Promise<void> => {
    if (this.#code !== undefined) await this.#editions.canBeChosen(this.#code);
  };

  async byTenant(transaction: Transaction, locked: LockedPlan): Promise<void> {
    const { plan } = locked;
    const code = this.#code ?? plan.editionCode;
    const offer = await this.#offerOf(transaction, locked);
    requireSelfService(plan, code, offer);
    await this.#activate(transaction, locked);
  }

  async byPlatform(transaction: Transaction, locked: LockedPlan): Promise<void> {
    await this.#offerOf(transaction, locked);
    await this.#activate(transaction, locked);
  }

  /** Throws REFERENCE_NOT_FOUND for an edition that is unknown or retired, unless the tenant has it already. */
  async #offerOf(transaction: Transaction, { plan }: LockedPlan) {
    const code = this.#code ?? plan.editionCode;
    const offer = await editionOffer(transaction, code);
    if (code !== plan.editionCode && offer?.active !== true) throw this.#editions.unknown("/input/editionCode");
    return offer;
  }

  async #activate(transaction: Transaction, locked: LockedPlan): Promise<void> {
    const { plan } = locked;
    const editionCode = this.#code ?? plan.editionCode;
    const billingCycle = this.#cycle ?? plan.billingCycle ?? "Monthly";
    const entitlements = this.#editions.featuresOf(editionCode);
    await activatePlan(transaction, locked, { editionCode, billingCycle, entitlements });
  }
}

/**
 * Throws EDITION_NOT_SELF_SERVICE when a tenant asks for more than it has of an edition that only a platform
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

function billingCycleOf(input: Input): BillingCycle | undefined {
  const cycle = input?.billingCycle;
  if (cycle == null) return undefined;
  if (!Object.hasOwn(billingCycles, cycle))
    throw invalidEnumValue(
      [{ pointer: "/input/billingCycle", allowed: Object.keys(billingCycles) }],
      "VALIDATION_FAILED",
    );
  return cycle as BillingCycle;
}
