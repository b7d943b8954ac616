import { type AuthenticationLevel, isAuthenticationLevel, satisfiesLevel } from "@factory/schema/authentication-levels";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";

const maxAgeSeconds = 900;

/**
 * Throws unless the person uses a first-party client and signed in at most 15 minutes ago (step-up authentication, RFC
 * 9470).
 */
export function requireRecentSignIn({ authTime, firstParty }: Principal, nowMs = Date.now()): void {
  if (firstParty !== true)
    throw new DomainError("FIRST_PARTY_CLIENT_REQUIRED", {
      detail:
        "This decision needs a token of a first-party client. Sign in with an application of the platform itself.",
    });
  if (authTime === undefined || nowMs / 1000 - authTime > maxAgeSeconds)
    throw new DomainError("AUTHENTICATION_TOO_OLD", {
      detail: `The last sign-in must be at most ${maxAgeSeconds / 60} minutes ago, and a refresh does not count. Sign in again, e.g. with max_age=${maxAgeSeconds} or prompt=login.`,
      maxAgeSeconds,
    });
}

/** Throws unless the person signed in at this level (`acr`) or a higher one. Null: every sign-in is enough. */
export function requireLevel({ acr }: Principal, needed: AuthenticationLevel | null): void {
  if (needed === null || satisfiesLevel(acr, needed)) return;
  throw new DomainError("AUTHENTICATION_TOO_WEAK", {
    detail: `This decision needs a sign-in of the level ${needed}. Sign in again with acr_values=${needed}.`,
    acrValues: needed,
  });
}

const stepUp = (description: string, parameter: string) =>
  `Bearer error="insufficient_user_authentication", error_description="${description}", ${parameter}`;

/**
 * The header `WWW-Authenticate` of the refusals AUTHENTICATION_TOO_OLD and AUTHENTICATION_TOO_WEAK (RFC 9470 section 3);
 * undefined for other codes. `facts` are those of the error.
 */
export function stepUpChallenge(code: unknown, facts: Readonly<Record<string, unknown>>): string | undefined {
  if (code === "AUTHENTICATION_TOO_OLD")
    return stepUp("A more recent sign-in is required.", `max_age="${maxAgeSeconds}"`);
  const { acrValues } = facts;
  return code === "AUTHENTICATION_TOO_WEAK" && isAuthenticationLevel(acrValues)
    ? stepUp("A stronger sign-in is required.", `acr_values="${acrValues}"`)
    : undefined;
}
