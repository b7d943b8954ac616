import { requireBrowserSignIn, requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { confirmOrigin, requireNewUser } from "../../people/user-origins/user-origins.js";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { unknownTenant } from "../../tenants/tenants/find-tenant.js";
import { requireFourEyes } from "./four-eyes.js";
import type { UserConfirmationType } from "./user-confirmation.type.js";

/**
 * Confirms that a new user is another person than those who invited it, so that the user counts as a second person
 * before the first month is over.
 */
export class UserConfirmation {
  readonly #database: Database;
  readonly #settings: TenantSettings;

  constructor(database: Database, settings: TenantSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /**
   * The person decides as about an approval: with a recent sign-in, and without having invited the user. Throws as
   * `requireFourEyes`, `NOT_FOUND`, and `INVALID_STATE` for a user who is not new.
   */
  confirm(context: RequestContext, userId: string): Promise<UserConfirmationType> {
    return idempotentMutation(this.#database, context, {
      field: "confirmUser",
      arguments: { userId },
      prepare: () => this.#settings.get(tenantOf(context), "governance.approve.acr"),
      commit: async (transaction, level) => {
        await requireNewUser(transaction, userId);
        const request = { subject: userId, agent: null, ofPeople: true };
        await requireFourEyes(transaction, principalOf(context), { request, level });
        return confirm(transaction, userId, principalOf(context).subject);
      },
    });
  }

  /** By a platform administrator. Throws `NOT_FOUND` and `INVALID_STATE` as `confirm`. */
  confirmForTenant(context: RequestContext, tenantId: string, userId: string): Promise<UserConfirmationType> {
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    const principal = principalOf(context);
    if (principal.principalType === "User") {
      requireBrowserSignIn(principal);
      requireRecentSignIn(principal);
    }
    return idempotentMutation(this.#database, context, {
      field: "confirmTenantUser",
      arguments: { tenantId, userId },
      tenant: tenantWithId(tenantId),
      commit: (transaction) => confirm(transaction, userId, principal.subject),
    });
  }
}

/** A second confirmation changes nothing. */
async function confirm(transaction: Transaction, userId: string, by: string): Promise<UserConfirmationType> {
  const { isFirst, confirmedBy, confirmedAt } = await confirmOrigin(transaction, userId, by);
  if (isFirst) transaction.record({ type: "UserConfirmed", subject: `users/${userId}`, data: { userId, confirmedBy } });
  return { userId, confirmedBy, confirmedAt: confirmedAt.toISOString() };
}
