import { LRUCache } from "lru-cache";
import { atMost } from "../caches/entry-limit.js";
import { DomainError } from "../errors/domain-error.js";
import { outageRefusal } from "../errors/unavailable.js";

/** Asks the issuer's own database. A projection may lag behind a new tenant's token. */
export type TenantLookup = (tenantId: string) => Promise<boolean>;

const maxCachedTenants = 50_000;

/** Caches which tenants exist. Tenants are never deleted, so only positive answers are cached. */
export class ConfirmedTenants {
  readonly #exists: TenantLookup;
  readonly #confirmed = new LRUCache<string, true>(atMost(maxCachedTenants));

  constructor(exists: TenantLookup) {
    this.#exists = exists;
  }

  /** Throws TENANT_UNKNOWN, or UNAVAILABLE when the issuer's database does not answer. */
  async require(tenantId: string | undefined): Promise<void> {
    if (tenantId === undefined || this.#confirmed.get(tenantId)) return;
    const exists = await this.#exists(tenantId).catch((error: unknown) => {
      throw outageRefusal(error) ?? error;
    });
    if (!exists) throw new DomainError("TENANT_UNKNOWN", { detail: "The tenant of the token does not exist." });
    this.#confirmed.set(tenantId, true);
  }
}
