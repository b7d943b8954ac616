export const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** What a client may ask for at the token endpoint. A client asks for a subset. */
export const grantTypes = [
  "client_credentials",
  "authorization_code",
  "refresh_token",
  "password",
  tokenExchange,
] as const;
export type GrantType = (typeof grantTypes)[number];

export function isGrantType(name: string): name is GrantType {
  return grantTypes.some((grantType) => grantType === name);
}
