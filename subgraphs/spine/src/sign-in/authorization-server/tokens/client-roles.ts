import { atMost } from "@factory/runtime/caches/entry-limit";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { LRUCache } from "lru-cache";
import { effectiveAccess, type VersionedAccess } from "../../../rights/roles/effective-access.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";

const cachedMs = 10_000;
const maxCachedClients = 5_000;

/** The roles that were assigned to a client, with its rights version in the same snapshot. */
export type AssignedRoles = Pick<VersionedAccess, "roles" | "version">;

/**
 * Codes for the roles that were assigned to a client. Its tokens show them, but its scopes do not come from them, so a
 * new role may be missing for some seconds. A role that was taken away is never shown later.
 */
export class ClientRoles {
  readonly #reader: TenantReader;
  readonly #cache = new LRUCache<string, AssignedRoles>({ ...atMost(maxCachedClients), ttl: cachedMs });

  constructor(reader: TenantReader) {
    this.#reader = reader;
  }

  /** Sorted codes, at most 10 s old, and not from before the client as it was read lost a role. */
  async of({ clientId, tenantId, versions }: RegisteredClient): Promise<AssignedRoles> {
    const cachedRoles = this.#cache.get(clientId);
    if (cachedRoles && cachedRoles.version >= versions.rights) return cachedRoles;
    const roles = await effectiveAccess(this.#reader, tenantWithId(tenantId), clientId);
    this.#cache.set(clientId, roles);
    return roles;
  }
}
