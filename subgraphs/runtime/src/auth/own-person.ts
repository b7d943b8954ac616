import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";

/**
 * Throws FIRST_PARTY_CLIENT_REQUIRED unless a person calls, at a client of the platform itself. Third parties, services and
 * agents do not manage the security of people.
 */
export function requireOwnPerson({ principalType, actors = [], firstParty }: Principal): void {
  if (principalType === "User" && actors.length === 0 && firstParty === true) return;
  throw new DomainError("FIRST_PARTY_CLIENT_REQUIRED", {
    detail: "Only a person may do this for the own account, with a token of a first-party client.",
  });
}
