import { createHmac } from "node:crypto";
import type { Keyring } from "@factory/runtime/sealing/master-keys";
import type { KoaContextWithOIDC } from "oidc-provider";

/** In this time after its first use a refresh token gives the same successor again, for lost answers and parallel tabs. */
export const repeatableSeconds = 10;

/**
 * The values of the successors that a refresh token may have, that of the newest key first. The value follows from the
 * token, so a second use finds it though only digests of tokens are stored. Without the key nobody can compute it.
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
