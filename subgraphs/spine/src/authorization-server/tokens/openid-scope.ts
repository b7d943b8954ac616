import type { KoaContextWithOIDC } from "oidc-provider";

/** Whether the tokens that are being made come from a sign-in with `openid`, which a refresh may leave out. */
export function grantsOpenid({ oidc }: KoaContextWithOIDC): boolean {
  const source = oidc.entities.AuthorizationCode ?? oidc.entities.RefreshToken;
  const named = oidc.params?.["scope"];
  const kept = typeof named !== "string" || named.split(" ").includes("openid");
  return kept && source !== undefined && source.scopes.has("openid");
}

export const withOpenid = (scope: unknown): string =>
  typeof scope === "string" && scope !== "" ? `openid ${scope}` : "openid";

/** RFC 6749 section 5.1 has all that was granted in the answer; oidc-provider 9.13 lists the scopes of the resource. */
export function listOpenid(context: KoaContextWithOIDC): void {
  const body: unknown = context.body;
  if (typeof body !== "object" || body === null || !("access_token" in body) || !("id_token" in body)) return;
  context.body = { ...body, scope: withOpenid("scope" in body ? body.scope : undefined) };
}
