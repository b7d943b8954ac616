import { requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { lockUser } from "../../people/users/find-users.js";
import { requireHeldScopes } from "../../rights/access-control/held-scopes.js";
import { effectiveAccessIn } from "../../rights/roles/effective-access.js";
import type { RemovedSecondFactorsType, UnlockedSecondFactorsType } from "./second-factor.type.js";
import type { SecondFactors } from "./second-factors.js";

/** Administrators help users who have lost their second factors, or whose codes are locked. */
export class LostFactors {
  readonly #database: Database;
  readonly #factors: SecondFactors;

  constructor(database: Database, factors: SecondFactors) {
    this.#database = database;
    this.#factors = factors;
  }

  remove(context: RequestContext, userId: string): Promise<RemovedSecondFactorsType> {
    return idempotentMutation(this.#database, context, {
      field: "removeUserSecondFactors",
      arguments: { userId },
      commit: async (transaction) => {
        await requireOther(context, transaction, {
          userId,
          own: "Users remove their own second factors on the page /connect/security, after a sign-in with them.",
        });
        await requireStronger(context, transaction, userId);
        return { userId, count: await this.#factors.removeAll(transaction, userId) };
      },
    });
  }

  unlock(context: RequestContext, userId: string): Promise<UnlockedSecondFactorsType> {
    return idempotentMutation(this.#database, context, {
      field: "unlockUserSecondFactors",
      arguments: { userId },
      commit: async (transaction) => {
        await requireOther(context, transaction, {
          userId,
          own: "Users unlock their own second factors by the link in a mail, or ask another administrator.",
        });
        await requireStronger(context, transaction, userId);
        if (!(await this.#factors.locks.lift(transaction, userId, "Administrator")))
          throw new DomainError("INVALID_STATE", {
            detail: "The second factors of the user are not locked.",
            currentState: "Unlocked",
            allowed: ["Locked"],
          });
        return { userId, unlockedAt: new Date().toISOString() };
      },
    });
  }
}

/** A stolen token is not enough to change what protects others, and neither is a service, which a person could make. */
function requireRecentPerson(context: RequestContext): void {
  const administrator = principalOf(context);
  if (administrator.principalType !== "User")
    throw new DomainError("PERSON_REQUIRED", {
      detail: "A person with a recent sign-in helps users who have lost their second factors. A service may not.",
    });
  requireRecentSignIn(administrator);
}

/** Throws unless another person asks, with a recent sign-in. Locks the user's row. */
async function requireOther(
  context: RequestContext,
  transaction: Transaction,
  { userId, own: detail }: { userId: string; own: string },
): Promise<void> {
  await lockUser(transaction, userId);
  requireRecentPerson(context);
  if (principalOf(context).subject === userId) throw new DomainError("CONFLICT", { detail });
}

async function requireStronger(context: RequestContext, transaction: Transaction, userId: string): Promise<void> {
  const { scopes } = await effectiveAccessIn(transaction, userId);
  requireHeldScopes(
    context,
    [...scopes],
    "A caller can remove or unlock the second factors only of a user whose scopes its own token holds.",
  );
}
