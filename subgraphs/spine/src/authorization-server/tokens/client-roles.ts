import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { LRUCache } from "lru-cache";
import { effectiveAccess } from "../../roles/effective-access.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";

const rememberedMs = 10_000;
const rememberedClients = 5_000;

/** Codes of the roles a client was given. Its tokens show them, its scopes do not come from them, so they may be seconds old. */
export class ClientRoles {
  readonly #reader: TenantReader;
  readonly #known = new LRUCache<string, readonly string[]>({ max: rememberedClients, ttl: rememberedMs });

  constructor(reader: TenantReader) {
    this.#reader = reader;
  }

  async of({ clientId, tenantId }: RegisteredClient): Promise<readonly string[]> {
    const known = this.#known.get(clientId);
    if (known) return known;
    const { roles } = await effectiveAccess(this.#reader, tenantWithId(tenantId), clientId);
    this.#known.set(clientId, roles);
    return roles;
  }
}
