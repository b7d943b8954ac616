import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EditionCatalog } from "../editions/edition-catalog.js";
import { editionOffer } from "../editions/edition-offer.js";
import { activatePlan } from "./activate-plan-subscription.js";
import type { LockedPlan } from "./change-plan-subscription.js";
import { type BillingCycle, billingCycles } from "./plan-period.js";
import type { ActivatePlanSubscriptionInput } from "./plan-subscription.input.js";
import { requireSelfService } from "./require-self-service.js";

type Input = ActivatePlanSubscriptionInput | null | undefined;

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
