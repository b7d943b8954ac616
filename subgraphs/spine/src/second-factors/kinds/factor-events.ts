import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { FactorKindName, FactorPerson } from "./factor-kind.js";

interface FactorFacts {
  readonly userId: string;
  readonly factorId: string;
  readonly kind: FactorKindName;
}

/** Records SecondFactorAdded, and its audit record. The person is the principal. */
export function recordFactorAdded(
  { record, audit, tenant: { tenantId } }: Transaction,
  person: FactorPerson,
  facts: Omit<FactorFacts, "userId">,
): void {
  const { userId, clientId } = person;
  audit({ operation: "addSecondFactor", principal: userId, principaltype: "User", clientid: clientId });
  record({ type: "SecondFactorAdded", subject: `users/${userId}`, data: { tenantId, userId, ...facts } });
}

/** Records SecondFactorRemoved. The caller writes the audit record. */
export function recordFactorRemoved({ record, tenant: { tenantId } }: Transaction, facts: FactorFacts): void {
  record({ type: "SecondFactorRemoved", subject: `users/${facts.userId}`, data: { tenantId, ...facts } });
}
