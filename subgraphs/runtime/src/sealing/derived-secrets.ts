import { createHmac, randomBytes } from "node:crypto";
import type { DerivedKey, Keyring } from "./master-keys.js";
import { UnknownSealingKey } from "./value-seal.js";

/**
 * Secrets that are stored nowhere: HMAC-SHA-256(derived key, owner's id and a random nonce). The row keeps the nonce and
 * the digest of the secret, so neither the database nor SECRETS_KEY alone reveals it, and it can be shown once more.
 */
export class DerivedSecrets {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** Names the key that the secret is derived from. */
  newNonce(): string {
    return `${this.#keys.newest.id}.${randomBytes(32).toString("base64url")}`;
  }

  /** 43 characters that need no escaping in a link, a form or a header. */
  derive(ownerId: string, nonce: string): string {
    const key = this.#keyOf(nonce);
    if (!key) throw new UnknownSealingKey("The secret was derived from a key that is not configured");
    return createHmac("sha256", key.bytes).update(`${nonce}\0${ownerId}`).digest("base64url");
  }

  /** False: the master key of then is gone. */
  canDerive(nonce: string): boolean {
    return this.#keyOf(nonce) !== undefined;
  }

  #keyOf(nonce: string): DerivedKey | undefined {
    const { all, oldest } = this.#keys;
    // until 2026-11-22 there was one master key, and nonces named none
    return nonce.includes(".") ? all.find(({ id }) => nonce.startsWith(`${id}.`)) : oldest;
  }
}
