import Provider, { type KoaContextWithOIDC } from "oidc-provider";

const member = "readStartMs";

/** A token knows what was committed before this, and counts as issued then: what is revoked later covers it. */
export function markReadStart(context: KoaContextWithOIDC | undefined = Provider.ctx): void {
  if (context) context.state[member] = Date.now();
}

/** Epoch milliseconds; of no request, now. */
export function readStartMs(context: KoaContextWithOIDC | undefined = Provider.ctx): number {
  return Number(context?.state[member] ?? Date.now());
}
