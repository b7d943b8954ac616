import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { recordRevocation } from "../ground/revocations/record-revocation.js";
import { lockPrincipalStatus } from "../rights/access-control/active-principal-statement.js";
import type { OAuthClient } from "./oauth-client.entity.js";
import { isSameKey, type PublicJwk, type PublicKeySet } from "./public-keys.js";

/** Once other principals hold the secret or the keys, all earlier codes, refresh tokens and access tokens are refused. */
export async function recordSecretHolders(
  transaction: Transaction,
  client: OAuthClient,
  holders: readonly string[],
): Promise<void> {
  const [before, after] = [textOf(client.secretHeldBy?.split(" ") ?? []), textOf(holders)];
  if (before === after) return;
  client.secretHeldBy = after;
  client.disabledWith = null;
  await recordRevocation(transaction, "Client", client.clientId);
}

/** The same text for the same holders, in whatever order they came. */
const textOf = (holders: readonly string[]): string | null => holders.toSorted().join(" ") || null;

/** Throws CONFLICT while the user with whom the client was disabled is not active, since this user knows the secret. */
export async function requireHolderAtWork(transaction: Transaction, { disabledWith }: OAuthClient): Promise<void> {
  if (disabledWith == null || (await lockPrincipalStatus(transaction, disabledWith)) === "Active") return;
  throw new DomainError("CONFLICT", {
    detail: "The client was disabled with the user who knows its secret. Renew the secret first, or enable the user.",
  });
}

/** Only a client that was created with keys has keys: a secret cannot be replaced by keys. */
export async function changeKeys(
  transaction: Transaction,
  client: OAuthClient,
  change: { keys: PublicKeySet; by: readonly string[] },
): Promise<void> {
  if (!client.jwks)
    throw new DomainError("API_CLIENT_INVALID", {
      detail: "The client does not authenticate by keys. Create another client with jwks.",
      errors: [
        { pointer: "/input/jwks", code: "UNKNOWN_VALUE", detail: "Only a client that was created with jwks has keys." },
      ],
    });
  await recordSecretHolders(transaction, client, keyHolders(client, client.jwks, change));
  client.jwks = change.keys;
}

/** The principals that can sign as the client: those that installed a key that stays, and the caller if a key is new. */
function keyHolders(
  { secretHeldBy }: OAuthClient,
  before: PublicKeySet,
  { keys: after, by }: { keys: PublicKeySet; by: readonly string[] },
): string[] {
  const isOld = (key: PublicJwk) => before.keys.some((old) => isSameKey(old, key));
  const holders = new Set(after.keys.some(isOld) ? secretHeldBy?.split(" ") : []);
  if (!after.keys.every(isOld)) for (const holder of by) holders.add(holder);
  return [...holders];
}
