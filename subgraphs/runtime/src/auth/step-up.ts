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

/** The header `WWW-Authenticate` of the refusal AUTHENTICATION_TOO_OLD (RFC 9470 section 3). */
export const stepUpChallenge = `Bearer error="insufficient_user_authentication", error_description="A more recent sign-in is required.", max_age="${maxAgeSeconds}"`;
