import { requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { requireHeldScopes } from "../access-control/held-scopes.js";
import { effectiveAccessIn } from "../roles/effective-access.js";
import { lockUser } from "../users/find-users.js";
import type { RemovedSecondFactorsType } from "./second-factor.type.js";
import type { SecondFactors } from "./second-factors.js";

/** Administrators help users who have lost their second factors. */
export class LostFactors {
  readonly #database: Database;
  readonly #factors: SecondFactors;

  constructor(database: Database, factors: SecondFactors) {
    this.#database = database;
    this.#factors = factors;
  }

  remove(context: RequestContext, userId: string): Promise<RemovedSecondFactorsType> {
    const administrator = principalOf(context);
    // a stolen token is not enough to take the factors of others away
    if (administrator.principalType === "User") requireRecentSignIn(administrator);
    return idempotentMutation(this.#database, context, {
      field: "removeUserSecondFactors",
      arguments: { userId },
      commit: async (transaction) => {
        await lockUser(transaction, userId);
        if (administrator.subject === userId)
          throw new DomainError("CONFLICT", {
            detail: "Users remove their own second factors on the page /connect/security, after a sign-in with them.",
          });
        const { scopes } = await effectiveAccessIn(transaction, userId);
        requireHeldScopes(
          context,
          [...scopes],
          "A caller can remove the second factors only of a user whose scopes its own token holds.",
        );
        return { userId, count: await this.#factors.removeAll(transaction, userId) };
      },
    });
  }
}
