import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Tenant } from "./tenant.entity.js";

/**
 * One step of provisioning. It runs in a transaction of the new tenant, and also for tenants that were provisioned
 * before the step existed. A step that runs again finds its earlier effect and leaves it unchanged.
 */
export interface ProvisioningStep {
  /** Stored in `tenants.provisioned_steps`. */
  readonly name: string;
  run(transaction: Transaction, tenant: Tenant): Promise<void>;
}
