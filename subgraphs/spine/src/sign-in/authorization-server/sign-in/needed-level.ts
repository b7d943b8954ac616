import { type AuthenticationLevel, authenticationLevels, satisfiesLevel } from "@factory/schema/authentication-levels";

/**
 * The level that a sign-in has to reach. `acr_values` (OpenID Connect Core 1.0 section 3.1.2.1, RFC 9470 section 4)
 * names levels, each of which is enough; unknown ones are ignored.
 */
export function neededLevel(acrValues: unknown, isRequired: boolean): AuthenticationLevel {
  const names = typeof acrValues === "string" ? acrValues.split(" ") : [];
  const requestedLevel = authenticationLevels.find((level) => names.includes(level)) ?? "urn:factory:acr:password";
  return isRequired && !satisfiesLevel(requestedLevel, "urn:factory:acr:second-factor")
    ? "urn:factory:acr:second-factor"
    : requestedLevel;
}

/** Whether the level takes more than a password. */
export const needsSecondFactor = (level: AuthenticationLevel): boolean => level !== "urn:factory:acr:password";
