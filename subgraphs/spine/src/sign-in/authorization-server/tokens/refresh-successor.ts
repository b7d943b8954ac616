import { createHmac } from "node:crypto";
import type { Keyring } from "@factory/runtime/sealing/master-keys";
import type { KoaContextWithOIDC } from "oidc-provider";

/** In this time after its first use a refresh token gives the same successor again, for lost answers and parallel tabs. */
export const repeatableSeconds = 10;

/**
 * The possible successors of a refresh token, one for each configured key; the newest key comes first. The platform
 * computes a successor from the token, so a second use finds it though only digests of tokens are stored.
 */
export const successorsOf = (keys: Keyring, refreshToken: string): [string, ...string[]] => {
  const under = ({ bytes }: Keyring["newest"]) => createHmac("sha256", bytes).update(refreshToken).digest("base64url");
  return [under(keys.newest), ...keys.all.slice(1).map(under)];
};

/** The successors that requests have chosen. */
const chosen = new WeakMap<KoaContextWithOIDC, string>();

export const chooseSuccessor = (context: KoaContextWithOIDC, successor: string): void => {
  chosen.set(context, successor);
};

/** Undefined for the first refresh token of a sign-in. */
export const chosenSuccessor = (context: KoaContextWithOIDC | undefined): string | undefined =>
  context && chosen.get(context);
