import { hash } from "node:crypto";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { emailKey } from "../../users/email-key.js";

const known = tenantStatement(
  "unsubscribed_address",
  `select true as known from unsubscribed_addresses
   where tenant_id = scope.tenant and address_digest = $2 and category = $3 limit 1`,
);

const add = {
  name: "unsubscribed_address_add",
  text: `insert into unsubscribed_addresses (tenant_id, address_digest, category, created_at)
    values ($1, $2, $3, now()) on conflict do nothing`,
};

/** The addresses without a user that get no more mails of a category. */
export class UnsubscribedAddresses {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async has(tenant: Tenant, email: string, category: string): Promise<boolean> {
    return (await this.#database.reader.row(known, tenant, digestOf(tenant, email), category)) !== undefined;
  }

  async add({ execute, tenant }: Transaction, email: string, category: string): Promise<void> {
    await execute(add, [tenant.uuid, digestOf(tenant, email), category]);
  }
}

/** The tenant is part of the digest, so that digests of two tenants cannot be compared. */
const digestOf = ({ tenantId }: Tenant, email: string): string =>
  hash("sha256", `${tenantId}\0${emailKey(email)}`, "hex");
