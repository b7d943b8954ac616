import type { KoaContextWithOIDC } from "oidc-provider";

/** Whether the new tokens come from a sign-in with `openid`. A refresh request may leave the scope out. */
export function grantsOpenid({ oidc }: KoaContextWithOIDC): boolean {
  const source = oidc.entities.AuthorizationCode ?? oidc.entities.RefreshToken;
  const named = oidc.params?.["scope"];
  const kept = typeof named !== "string" || named.split(" ").includes("openid");
  return kept && source !== undefined && source.scopes.has("openid");
}

/** Puts `openid` before the other scopes of a `scope` value. */
export const withOpenid = (scope: unknown): string =>
  typeof scope === "string" && scope !== "" ? `openid ${scope}` : "openid";

/**
 * Adds `openid` to the `scope` of a token response. RFC 6749 section 5.1 wants all granted scopes there; oidc-provider
 * 9.13 lists only those of the resource server.
 */
export function listOpenid(context: KoaContextWithOIDC): void {
  const body: unknown = context.body;
  if (typeof body !== "object" || body === null || !("access_token" in body) || !("id_token" in body)) return;
  context.body = { ...body, scope: withOpenid("scope" in body ? body.scope : undefined) };
}
