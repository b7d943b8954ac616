/** The sign-in levels (the claim `acr`), the weakest first. */
export const authenticationLevels = [
  "urn:factory:acr:password",
  "urn:factory:acr:second-factor",
  "urn:factory:acr:phishing-resistant",
] as const;

/** How strongly a person has proven who they are at the sign-in. */
export type AuthenticationLevel = (typeof authenticationLevels)[number];

/** RFC 8176: keys that a browser gives only to the origin for which they were made. */
const keyMethods = ["hwk", "swk"];

/** The level that a sign-in with these methods (the claim `amr`, RFC 8176) reaches. */
export function levelOfMethods(methods: readonly string[]): AuthenticationLevel {
  if (!methods.includes("mfa")) return "urn:factory:acr:password";
  return methods.some((method) => keyMethods.includes(method))
    ? "urn:factory:acr:phishing-resistant"
    : "urn:factory:acr:second-factor";
}

/**
 * The methods that creating a factor proves. A new key is not among them: it may belong to a thief who has got past the
 * methods before it.
 */
export const methodsOfEnrolment = (methods: readonly string[]): string[] =>
  methods.filter((method) => !keyMethods.includes(method));

export const isAuthenticationLevel = (value: unknown): value is AuthenticationLevel =>
  (authenticationLevels as readonly unknown[]).includes(value);

/** The higher of two levels. Null: every level is enough. */
export const higherLevel = (level: AuthenticationLevel | null, other: AuthenticationLevel | null) =>
  level === null || (other !== null && satisfiesLevel(other, level)) ? other : level;

/** Whether a reached sign-in level satisfies a needed one. An absent or unknown level satisfies nothing. */
export const satisfiesLevel = (reachedLevel: string | undefined, neededLevel: AuthenticationLevel): boolean =>
  isAuthenticationLevel(reachedLevel) &&
  authenticationLevels.indexOf(reachedLevel) >= authenticationLevels.indexOf(neededLevel);
