import { hash } from "node:crypto";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { lockedCategories, switchOff } from "../../notifications/preferences/switched-off.js";
import { unsubscribeAddress, unsubscribedAddress, userOfAddress } from "./unsubscribed-address-statement.js";

/** The addresses that get no more mails in a category. */
export class UnsubscribedAddresses {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** False also where the user with the address has switched the category on again. */
  async has(tenant: Tenant, email: string, category: string): Promise<boolean> {
    const parameters = { digest: digestOf(tenant, email), category, emailKey: mailAddressKey(email) };
    const values = unsubscribedAddress.valuesOf(parameters);
    return (await this.#database.reader.row(unsubscribedAddress, tenant, ...values)) !== undefined;
  }

  /** Unsubscribes the address, and the user with it, who sees that in the preferences. */
  async add(transaction: Transaction, email: string, category: string): Promise<void> {
    const { execute, tenant } = transaction;
    await execute(unsubscribeAddress, [tenant.uuid, digestOf(tenant, email), category]);
    if (lockedCategories.includes(category)) return;
    const [user] = await execute<{ user_id: string }>(userOfAddress, [tenant.uuid, mailAddressKey(email)]);
    if (user) await switchOff(transaction, encodeId("usr", user.user_id), { channel: "Email", category });
  }
}

/** The tenant is part of the digest, so that two tenants' digests cannot be compared. */
const digestOf = ({ tenantId }: Tenant, email: string): string =>
  hash("sha256", `${tenantId}\0${mailAddressKey(email)}`, "hex");
