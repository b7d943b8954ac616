import { FollowedCache } from "@factory/runtime/caches/followed-cache";
import type { Notifications } from "@factory/runtime/connections/listener";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { StoredTenant } from "../../tenants/tenants/tenant.view.js";
import { tenantChangesChannel } from "../../tenants/tenants/tenant-version.js";
import type { PlanSubscriptionState } from "../plan-subscriptions/plan-subscription.states.js";
import { tenantPlan } from "./plan-statement.js";

/** A tenant's edition and the state of its plan subscription. */
export interface TenantPlan {
  readonly editionCode: string;
  /** Null for a tenant without a plan subscription, such as the platform's tenant. */
  readonly status: PlanSubscriptionState | null;
}

type PlanRow = Pick<StoredTenant, "edition_code"> & { status: PlanSubscriptionState | null };

const maxTenants = 10_000;
/** A notification can be lost. Then the change acts after this time. */
const maxAgeMs = 30_000;

/** The tenants' plans in memory. A change to a tenant drops its plan in every process. */
export class TenantPlans {
  readonly #reader: TenantReader;
  readonly #plans = new FollowedCache<TenantPlan>({ maxEntries: maxTenants, freshMs: maxAgeMs });

  constructor(reader: TenantReader) {
    this.#reader = reader;
  }

  async follow(listener: Notifications): Promise<void> {
    await listener.on(tenantChangesChannel, (tenantId) => this.#plans.drop(tenantId));
  }

  /** Throws TENANT_UNKNOWN. */
  of({ tenantId, uuid }: Tenant): Promise<TenantPlan> {
    // without the caller: others share the read
    return this.#plans.find(tenantId) ?? this.#plans.keep(tenantId, this.#read({ tenantId, uuid }));
  }

  async #read(tenant: Tenant): Promise<TenantPlan> {
    const row = await this.#reader.row<PlanRow>(tenantPlan, tenant);
    if (!row) throw new DomainError("TENANT_UNKNOWN", { detail: "No tenant has this ID." });
    return { editionCode: row.edition_code, status: row.status };
  }
}
