import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { userStatuses } from "../../rights/access-control/user-status-statement.js";
import { peopleWithScope } from "../../rights/roles/people-with-scope.js";
import { type FourEyesRequest, mayBeOnePerson } from "./four-eyes.js";

// people are compared one after another, and those who have held the scope for longest come first
const maxCandidates = 500;
const maxCompared = 50;

/**
 * Throws CONFLICT where another person in the tenant can decide: an active user with governance.approve who is
 * certainly not the same person as the subject. Otherwise the platform administrator decides.
 */
export async function requireNoSecondPerson(transaction: Transaction, request: FourEyesRequest): Promise<void> {
  const approvers = await peopleWithScope(transaction, "governance.approve", maxCandidates);
  const statuses = await userStatuses(transaction, approvers);
  const others = approvers.filter((person) => person !== request.subject && statuses.get(person) === "Active");
  for (const person of others.slice(0, maxCompared)) {
    if (await mayBeOnePerson(transaction, person, request)) continue;
    throw new DomainError("CONFLICT", {
      detail: "Another person of the tenant can decide, so the platform does not. Ask a user with governance.approve.",
    });
  }
}
