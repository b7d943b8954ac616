import { atMost } from "@factory/runtime/caches/entry-limit";
import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { LRUCache } from "lru-cache";
import { effectiveAccess } from "../../roles/effective-access.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";

const cachedMs = 10_000;
const maxCachedClients = 5_000;

/**
 * Codes of the roles that were assigned to a client. Its tokens show them, but its scopes do not come from them, so they
 * may be some seconds old.
 */
export class ClientRoles {
  readonly #reader: TenantReader;
  readonly #cache = new LRUCache<string, readonly string[]>({ ...atMost(maxCachedClients), ttl: cachedMs });

  constructor(reader: TenantReader) {
    this.#reader = reader;
  }

  /** Sorted codes, at most 10 s old. */
  async of({ clientId, tenantId }: RegisteredClient): Promise<readonly string[]> {
    const cached = this.#cache.get(clientId);
    if (cached) return cached;
    const { roles } = await effectiveAccess(this.#reader, tenantWithId(tenantId), clientId);
    this.#cache.set(clientId, roles);
    return roles;
  }
}
