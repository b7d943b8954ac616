import Provider, { type KoaContextWithOIDC } from "oidc-provider";

/** The context for the request that oidc-provider is serving. Throws outside a request. */
export function currentContext(): KoaContextWithOIDC {
  const context = Provider.ctx;
  if (!context) throw new Error("Called outside of a request to the authorization server");
  return context;
}
