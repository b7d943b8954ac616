/** Grants the token endpoint serves. A client asks for a subset. */
export const grantTypes = ["client_credentials"] as const;
export type GrantType = (typeof grantTypes)[number];

export function isGrantType(name: string): name is GrantType {
  return grantTypes.some((grantType) => grantType === name);
}
