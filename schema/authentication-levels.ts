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
export const higherLevel = (one: AuthenticationLevel | null, other: AuthenticationLevel | null) =>
  one === null || (other !== null && satisfiesLevel(other, one)) ? other : one;

/** Whether a sign-in at the level `reached` satisfies `needed`. A level that is absent or unknown satisfies nothing. */
export const satisfiesLevel = (reached: string | undefined, needed: AuthenticationLevel): boolean =>
  isAuthenticationLevel(reached) && authenticationLevels.indexOf(reached) >= authenticationLevels.indexOf(needed);
