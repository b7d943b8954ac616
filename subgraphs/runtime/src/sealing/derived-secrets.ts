import { createHmac, randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.js";
import type { DerivedKey, Keyring } from "./master-keys.js";
import { UnknownSealingKey } from "./value-seal.js";

/**
 * Secrets that are derived instead of stored: HMAC-SHA-256(derived key, the owner's ID and a random nonce). The row
 * keeps the nonce and the secret's digest. So neither the database nor SECRETS_KEY alone reveals the secret, and it
 * can be shown again.
 *
 * After a change of SECRETS_KEY the secret cannot be derived from the new key. `renewed` replaces the nonce by the secret
 * itself, sealed with the new key.
 */
export class DerivedSecrets {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** A random nonce that begins with the ID of the key from which the secret is derived. */
  newNonce(): string {
    return `${this.#keys.newest.id}.${randomBytes(32).toString("base64url")}`;
  }

  /** The secret: 43 characters that need no escaping in a link, a form or a header. */
  derive(ownerId: string, nonce: string): string {
    const key = this.#keyOf(nonce);
    if (!key) throw new UnknownSealingKey("The secret was derived from a key that is not configured");
    if (isKept(nonce)) return decrypt(keptKey(key), keptBytes(nonce), ownerId).toString();
    return createHmac("sha256", key.bytes).update(`${nonce}\0${ownerId}`).digest("base64url");
  }

  /** False when the secret's master key is not configured any more. */
  canDerive(nonce: string): boolean {
    return this.#keyOf(nonce) !== undefined;
  }

  get newestKeyId(): string {
    return this.#keys.newest.id;
  }

  /** The value that replaces a former key's nonce in a row. `derive` gives the same secret for it. */
  renewed(ownerId: string, nonce: string): string {
    const { newest } = this.#keys;
    const secret = Buffer.from(this.derive(ownerId, nonce));
    return `${newest.id}${keptMark}${encrypt(keptKey(newest), secret, ownerId).toString("base64url")}`;
  }

  #keyOf(nonce: string): DerivedKey | undefined {
    const { all, oldest } = this.#keys;
    // Nonces from before 2026-11-22 name no key: there was one master key.
    return nonce.includes(".") ? all.find(({ id }) => nonce.startsWith(`${id}.`)) : oldest;
  }
}

/** A nonce has one dot, after its key's ID. */
const keptMark = ".kept.";
const isKept = (nonce: string): boolean => nonce.includes(keptMark);
const keptBytes = (nonce: string): Buffer =>
  Buffer.from(nonce.slice(nonce.indexOf(keptMark) + keptMark.length), "base64url");

/** A separate key, because the derived key itself already has another use. */
const keptKey = ({ bytes }: DerivedKey): Buffer => createHmac("sha256", bytes).update("kept secrets").digest();
