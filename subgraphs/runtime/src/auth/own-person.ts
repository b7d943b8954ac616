import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";

/**
 * Throws FIRST_PARTY_CLIENT_REQUIRED unless a person calls, at one of the platform's own clients. Third parties,
 * services and agents do not manage people's security.
 */
export function requireOwnPerson({ principalType, actors = [], firstParty }: Principal): void {
  if (principalType === "User" && actors.length === 0 && firstParty === true) return;
  throw new DomainError("FIRST_PARTY_CLIENT_REQUIRED", {
    detail: "Only a person may do this for the own account, with a token of a first-party client.",
  });
}
