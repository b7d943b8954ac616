import type { Cause } from "@factory/runtime/messages/envelope";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { lockUser } from "../../../people/users/find-users.js";
import type { FactorLocks } from "./factor-locks.js";
import { type LinkedAccount, unknownLink } from "./unlock-links.js";

/** Lifts a person's lock by the link in a mail. Everything else stays as it is. */
export class UnlockByLink {
  readonly #database: Database;
  readonly #locks: FactorLocks;

  constructor(database: Database, locks: FactorLocks) {
    this.#database = database;
    this.#locks = locks;
  }

  /** The link's account. Throws NOT_FOUND, as `unlock`. */
  look(token: string): Promise<LinkedAccount> {
    return this.#locks.links.look(token);
  }

  /** Throws NOT_FOUND for a link that is unknown, used or expired, or whose account is not active. */
  async unlock({ trace, origin }: Pick<Cause, "trace" | "origin">, token: string): Promise<void> {
    const { tenant, userId, digest } = await this.look(token);
    await this.#database.transaction(tenant, { trace, origin, actorId: userId }, async (transaction) => {
      const { status } = await lockUser(transaction, userId);
      if (status !== "Active" || !(await this.#locks.lift(transaction, userId, "MailLink", digest)))
        throw unknownLink();
      transaction.audit({ operation: "unlockOwnSecondFactors", principal: userId, principaltype: "User" });
    });
  }
}
