/** The token exchange grant type (RFC 8693 section 2.1). */
export const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** The grant type for user name and password (RFC 6749 section 4.3). */
export const passwordGrantType = "password";

/** All grant types that a client may have. */
export const grantTypes = [
  "client_credentials",
  "authorization_code",
  "refresh_token",
  passwordGrantType,
  tokenExchange,
] as const;
/** One of `grantTypes`. */
export type GrantType = (typeof grantTypes)[number];

/** Whether the name is one of `grantTypes`. */
export function isGrantType(name: string): name is GrantType {
  return grantTypes.some((grantType) => grantType === name);
}
