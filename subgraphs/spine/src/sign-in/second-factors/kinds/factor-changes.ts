import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { type FactorChange, factorMailKind } from "./change-mail.js";
import type { FactorKindName, FactorPerson } from "./factor-kind.js";

/** Queues a mail of this kind to the person, in the transaction. */
export type TellPerson = (transaction: Transaction, mailKind: string, userId: string) => Promise<void>;

/** Records the changes to a person's factors, and tells the person by mail, so that a thief cannot do it unnoticed. */
export class FactorChanges {
  readonly #tell: TellPerson;

  constructor(tell: TellPerson) {
    this.#tell = tell;
  }

  /** Records SecondFactorAdded, and its audit record. The person is the principal. */
  async added(
    transaction: Transaction,
    person: FactorPerson,
    { factorId, kind }: { factorId: string; kind: FactorKindName },
  ): Promise<void> {
    const { record, audit, tenant } = transaction;
    const { userId, clientId } = person;
    audit({ operation: "addSecondFactor", principal: userId, principaltype: "User", clientid: clientId });
    const data = { tenantId: tenant.tenantId, userId, factorId, kind };
    record({ type: "SecondFactorAdded", subject: `users/${userId}`, data });
    await this.#tellOf(transaction, "added", { kind, userId });
  }

  /** Records SecondFactorRemoved for each factor. The caller writes the audit record. */
  async removed(
    transaction: Transaction,
    { userId, kind, factorIds }: { userId: string; kind: FactorKindName; factorIds: readonly string[] },
  ): Promise<void> {
    const { tenantId } = transaction.tenant;
    for (const factorId of factorIds) {
      const data = { tenantId, userId, factorId, kind };
      transaction.record({ type: "SecondFactorRemoved", subject: `users/${userId}`, data });
    }
    if (factorIds.length > 0) await this.#tellOf(transaction, "removed", { kind, userId });
  }

  #tellOf(transaction: Transaction, change: FactorChange, factor: { kind: FactorKindName; userId: string }) {
    return this.#tell(transaction, factorMailKind(change, factor.kind), factor.userId);
  }
}
