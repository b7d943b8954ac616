import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { userStatuses } from "../../access-control/user-status-statement.js";
import { approversOfTenant } from "./approvers-statement.js";
import { type FourEyesRequest, mayBeOnePerson } from "./four-eyes.js";

/**
 * Throws CONFLICT where another person of the tenant can decide: an active user with governance.approve who is certainly
 * not the same person as the subject. Otherwise the platform administrator decides.
 */
export async function requireNoSecondPerson(transaction: Transaction, request: FourEyesRequest): Promise<void> {
  const { execute, tenant } = transaction;
  const approvers = await execute<{ principal_id: string }>(approversOfTenant, [tenant.uuid, request.subject]);
  const statuses = await userStatuses(
    transaction,
    approvers.map(({ principal_id: principal }) => principal),
  );
  for (const [principal, status] of statuses) {
    if (status !== "Active" || (await mayBeOnePerson(transaction, principal, request))) continue;
    throw new DomainError("CONFLICT", {
      detail: "Another person of the tenant can decide, so the platform does not. Ask a user with governance.approve.",
    });
  }
}
