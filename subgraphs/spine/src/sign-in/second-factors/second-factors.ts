import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { DeletedPerson } from "../../people/users/personal-data.js";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import type { FactorChanges } from "./kinds/factor-changes.js";
import type { FactorKind, FactorPerson } from "./kinds/factor-kind.js";
import type { FactorKinds } from "./kinds/factor-kinds.js";
import type { FactorLocks } from "./locks/factor-locks.js";
import type { RecoveryCodes } from "./recovery-codes/recovery-codes.js";

interface SecondFactorParts {
  readonly database: Database;
  readonly settings: TenantSettings;
  readonly kinds: FactorKinds;
  readonly recoveryCodes: RecoveryCodes;
  readonly changes: FactorChanges;
  readonly locks: FactorLocks;
}

/** People's second factors, whatever their kind. */
export class SecondFactors {
  readonly #parts: SecondFactorParts;

  constructor(parts: SecondFactorParts) {
    this.#parts = parts;
  }

  get kinds(): FactorKinds {
    return this.#parts.kinds;
  }

  get locks(): FactorLocks {
    return this.#parts.locks;
  }

  /** Whether the tenant wants a second factor from every user (`signIn.secondFactor`). */
  async requiredBy(tenant: Tenant): Promise<boolean> {
    return (await this.#parts.settings.get(tenant, "signIn.secondFactor")) === "required";
  }

  /** The kinds with which the person proves a second factor at a sign-in; none if the person has not set up a factor. */
  usable(tenant: Tenant, userId: string): Promise<readonly FactorKind[]> {
    return this.kinds.usable(tenant, userId);
  }

  /** Whether a password alone is not enough for this person. */
  async isNeeded(tenant: Tenant, userId: string): Promise<boolean> {
    return (await this.requiredBy(tenant)) || (await this.usable(tenant, userId)).length > 0;
  }

  /** How many recovery codes the person has left. */
  recoveryCodesLeft(tenant: Tenant, userId: string): Promise<number> {
    return this.#parts.recoveryCodes.left(tenant, userId);
  }

  /** A new set of recovery codes. The former set's codes are invalid. */
  renewRecoveryCodes(person: FactorPerson): Promise<readonly string[]> {
    return this.#transaction(person, "renewRecoveryCodes", (transaction) =>
      this.#parts.recoveryCodes.renew(transaction, person.userId),
    );
  }

  /** Removes the person's factor, and the recovery codes with the last one. False: the person has no such factor. */
  async remove(person: FactorPerson, factorId: string): Promise<boolean> {
    const { tenant, userId } = person;
    const others = (await this.kinds.enrolled(tenant, userId)).filter((factor) => factor.factorId !== factorId);
    return this.#transaction(person, "removeSecondFactor", async (transaction) => {
      for (const kind of this.kinds.all) {
        if (!(await kind.remove(transaction, userId, factorId))) continue;
        await this.#parts.changes.removed(transaction, { userId, kind: kind.kind, factorIds: [factorId] });
        if (others.length === 0) await this.#parts.recoveryCodes.erase(transaction, userId);
        return true;
      }
      return false;
    });
  }

  /** Gives the person's factor another name. False: the person has no such factor. */
  rename(person: FactorPerson, renaming: { readonly factorId: string; readonly name: string }): Promise<boolean> {
    return this.#transaction(person, "renameSecondFactor", async (transaction) => {
      for (const kind of this.kinds.all) if (await kind.rename?.(transaction, person.userId, renaming)) return true;
      return false;
    });
  }

  /** Removes a user's factors, with their events, and the lock. Returns how many; recovery codes are not counted. */
  async removeAll(transaction: Transaction, userId: string): Promise<number> {
    let count = 0;
    for (const kind of this.kinds.all) {
      const factorIds = await kind.erase(transaction, userId);
      await this.#parts.changes.removed(transaction, { userId, kind: kind.kind, factorIds });
      count += factorIds.length;
    }
    await this.locks.reset(transaction, userId, "Administrator");
    return count;
  }

  /** As `removeAll`, without events: the user is being deleted. */
  readonly erase = async (transaction: Transaction, person: DeletedPerson): Promise<void> => {
    for (const kind of this.kinds.all) await kind.erase(transaction, person.userId);
    await this.locks.erase(transaction, person);
  };

  #transaction<T>(person: FactorPerson, operation: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { tenant, userId, clientId, cause } = person;
    return this.#parts.database.transaction(tenant, { ...cause, actorId: userId }, (transaction) => {
      const caller = { principal: userId, principaltype: "User", clientid: clientId } as const;
      transaction.audit({ operation, subject: `users/${userId}`, ...caller });
      return work(transaction);
    });
  }
}
