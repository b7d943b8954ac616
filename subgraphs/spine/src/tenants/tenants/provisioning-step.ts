import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Tenant } from "./tenant.entity.js";

/**
 * One provisioning step. It runs in a transaction in the new tenant, and also for tenants that were provisioned before
 * the step existed. A step that runs again finds its earlier effect and leaves it unchanged.
 */
export interface ProvisioningStep {
  /** Stored in `tenants.provisioned_steps`. */
  readonly name: string;
  run(transaction: Transaction, tenant: Tenant): Promise<void>;
}

/**
 * The provisioning steps. They run in the order in which the slices have added them, and `addLast` after all others.
 */
export class ProvisioningSteps {
  readonly #steps: ProvisioningStep[] = [];
  #lastSteps = 0;

  /** The list grows until all slices have started. */
  get all(): readonly ProvisioningStep[] {
    return this.#steps;
  }

  add(step: ProvisioningStep): void {
    this.#steps.splice(this.#steps.length - this.#lastSteps, 0, step);
  }

  /** For a step that also runs after later slices' steps. */
  addLast(step: ProvisioningStep): void {
    this.#steps.push(step);
    this.#lastSteps += 1;
  }
}
