import { LRUCache } from "lru-cache";
import { DomainError } from "../errors/domain-error.js";
import { databaseRefusal } from "../errors/unavailable.js";

/** Asks the spine itself. A projection may lag behind the token of a tenant that was just made. */
export type TenantLookup = (tenantId: string) => Promise<boolean>;

const rememberedTenants = 50_000;

/** Tenants are never deleted, so a tenant that was found is remembered. One that was not found is asked for again. */
export class ConfirmedTenants {
  readonly #exists: TenantLookup;
  readonly #confirmed = new LRUCache<string, true>({ max: rememberedTenants });

  constructor(exists: TenantLookup) {
    this.#exists = exists;
  }

  /** Throws TENANT_UNKNOWN; UNAVAILABLE where the spine's database does not answer. */
  async require(tenantId: string | undefined): Promise<void> {
    if (tenantId === undefined || this.#confirmed.get(tenantId)) return;
    const exists = await this.#exists(tenantId).catch((error: unknown) => {
      throw databaseRefusal(error) ?? error;
    });
    if (!exists) throw new DomainError("TENANT_UNKNOWN", { detail: "The tenant of the token does not exist." });
    this.#confirmed.set(tenantId, true);
  }
}
