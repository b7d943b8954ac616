import Provider, { type KoaContextWithOIDC } from "oidc-provider";

export function currentContext(): KoaContextWithOIDC {
  const context = Provider.ctx;
  if (!context) throw new Error("Called outside of a request to the authorization server");
  return context;
}
