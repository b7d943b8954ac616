import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { activeAmong, approversOfTenant } from "./approvers-statement.js";
import { type FourEyesRequest, mayBeOnePerson } from "./four-eyes.js";

/**
 * Throws CONFLICT where another person of the tenant can decide: an active user with governance.approve who is not one
 * person with the subject. The platform decides only where there is none.
 */
export async function requireNoSecondPerson(transaction: Transaction, request: FourEyesRequest): Promise<void> {
  const { execute, tenant } = transaction;
  const approvers = await execute<{ principal_id: string }>(approversOfTenant, [tenant.uuid, request.subject]);
  const uuids = approvers.flatMap(({ principal_id: principal }) => decodeId("usr", principal) ?? []);
  for (const { user_id: uuid } of await execute<{ user_id: string }>(activeAmong, [tenant.uuid, uuids])) {
    if (await mayBeOnePerson(transaction, encodeId("usr", uuid), request)) continue;
    throw new DomainError("CONFLICT", {
      detail: "Another person of the tenant can decide, so the platform does not. Ask a user with governance.approve.",
    });
  }
}
