import Provider, { type KoaContextWithOIDC } from "oidc-provider";

const member = "readStartMs";

/**
 * Notes that the request begins to read the database now. A token that it makes counts as issued at this time, so that a
 * revocation which is committed later covers the token.
 */
export function markReadStart(context: KoaContextWithOIDC | undefined = Provider.ctx): void {
  if (context) context.state[member] = Date.now();
}

/** When the request began to read, in epoch milliseconds; now, outside of a request. */
export function readStartMs(context: KoaContextWithOIDC | undefined = Provider.ctx): number {
  return Number(context?.state[member] ?? Date.now());
}
