import { createHmac } from "node:crypto";
import type { Keyring } from "@factory/runtime/sealing/master-keys";
import type { KoaContextWithOIDC } from "oidc-provider";

/** In this time after its first use a refresh token gives the same successor again, for lost answers and parallel tabs. */
export const repeatableSeconds = 10;

/**
 * A refresh token's possible successors, one for each configured key; the newest key comes first. The platform computes
 * a successor from the token, so a second use finds it though only token digests are stored.
 */
export const successorsOf = (keys: Keyring, refreshToken: string): [string, ...string[]] => {
  const under = ({ bytes }: Keyring["newest"]) => createHmac("sha256", bytes).update(refreshToken).digest("base64url");
  return [under(keys.newest), ...keys.all.slice(1).map(under)];
};

/** The successors that requests have chosen. */
const chosenSuccessors = new WeakMap<KoaContextWithOIDC, string>();

export const chooseSuccessor = (context: KoaContextWithOIDC, successor: string): void => {
  chosenSuccessors.set(context, successor);
};

/** Undefined for a sign-in's first refresh token. */
export const chosenSuccessor = (context: KoaContextWithOIDC | undefined): string | undefined =>
  context && chosenSuccessors.get(context);
