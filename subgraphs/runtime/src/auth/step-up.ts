import { type AuthenticationLevel, isAuthenticationLevel, satisfiesLevel } from "@factory/schema/authentication-levels";
import { DomainError } from "../errors/domain-error.js";
import type { Principal } from "./principal.js";

const maxAgeSeconds = 900;

/** As `requireFreshSignIn`, and throws FIRST_PARTY_CLIENT_REQUIRED unless the person uses a first-party client. */
export function requireRecentSignIn(principal: Principal, level: AuthenticationLevel | null = null): void {
  if (principal.firstParty !== true)
    throw new DomainError("FIRST_PARTY_CLIENT_REQUIRED", {
      detail:
        "This decision needs a token of a first-party client. Sign in with an application of the platform itself.",
    });
  requireFreshSignIn(principal, level);
}

/**
 * Throws unless the person signed in at most 15 minutes ago, at this level (`acr`) or a higher one (step-up
 * authentication, RFC 9470). Null: every level is enough. The refusals name everything that the next sign-in has to reach.
 */
export function requireFreshSignIn({ acr, authTime }: Principal, level: AuthenticationLevel | null): void {
  const requirement = { maxAgeSeconds, ...(level === null ? {} : { acrValues: level }) };
  if (authTime === undefined || Date.now() / 1000 - authTime > maxAgeSeconds)
    throw new DomainError("AUTHENTICATION_TOO_OLD", {
      detail: `The last sign-in must be at most ${maxAgeSeconds / 60} minutes ago, and a refresh does not count. Sign in again, e.g. with max_age=${maxAgeSeconds} or prompt=login.`,
      ...requirement,
    });
  if (level !== null && !satisfiesLevel(acr, level))
    throw new DomainError("AUTHENTICATION_TOO_WEAK", {
      detail: `This decision needs a sign-in of the level ${level}. Sign in again with acr_values=${level}.`,
      ...requirement,
    });
}

/**
 * Throws for a token from the password grant: a program that knows a person's password could decide without that
 * person.
 */
export function requireBrowserSignIn({ passwordGrant }: Principal): void {
  if (passwordGrant === true)
    throw new DomainError("BROWSER_SIGN_IN_REQUIRED", {
      detail: "This decision needs a token of the authorization code grant. Sign in in a browser.",
    });
}

const descriptions: Readonly<Record<string, string>> = {
  AUTHENTICATION_TOO_OLD: "A more recent sign-in is required.",
  AUTHENTICATION_TOO_WEAK: "A stronger sign-in is required.",
};

/**
 * The header `WWW-Authenticate` for the refusals AUTHENTICATION_TOO_OLD and AUTHENTICATION_TOO_WEAK (RFC 9470 section
 * 3); undefined for other codes. `facts`: the error's facts.
 */
export function stepUpChallenge(
  code: unknown,
  facts: { readonly acrValues?: unknown; readonly maxAgeSeconds?: unknown },
): string | undefined {
  if (typeof code !== "string" || !Object.hasOwn(descriptions, code)) return undefined;
  const { acrValues } = facts;
  return [
    `Bearer error="insufficient_user_authentication", error_description="${descriptions[code]}"`,
    ...(isAuthenticationLevel(acrValues) ? [`acr_values="${acrValues}"`] : []),
    `max_age="${maxAgeSeconds}"`,
  ].join(", ");
}
