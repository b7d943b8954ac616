import { randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.js";
import type { Keyring } from "./master-keys.js";
import { UnknownSealingKey } from "./value-seal.js";

/** A value that is encrypted with its own data key, which is encrypted with a key derived from a master key. */
export interface SealedEnvelope {
  /** The ID of the key that encrypted `wrappedKey`. It distinguishes a changed SECRETS_KEY from damage. */
  readonly keyId: string;
  /** The encrypted data key. Deleting it makes the value unreadable. */
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

/** Envelope encryption with AES-256-GCM. After a change of the master key only data keys are encrypted again. */
export class EnvelopeSeal {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** The ID of the key that encrypts new data keys. Data keys that another one encrypted should be rewrapped. */
  get newestKeyId(): string {
    return this.#keys.newest.id;
  }

  /**
   * `associatedData` says where the value belongs, for example the key of its row. It is authenticated, so the value cannot be
   * moved.
   */
  seal(plain: Buffer, associatedData: string): SealedEnvelope {
    const dataKey = randomBytes(32);
    return { ...this.#wrapped(dataKey, associatedData), ciphertext: encrypt(dataKey, plain, associatedData) };
  }

  open(sealed: SealedEnvelope, associatedData: string): Buffer {
    return decrypt(this.#dataKey(sealed, associatedData), sealed.ciphertext, associatedData);
  }

  /** The same data key, encrypted with the newest key. */
  rewrapped(sealed: Omit<SealedEnvelope, "ciphertext">, associatedData: string): Omit<SealedEnvelope, "ciphertext"> {
    return this.#wrapped(this.#dataKey(sealed, associatedData), associatedData);
  }

  #wrapped(dataKey: Buffer, associatedData: string) {
    const { id, bytes } = this.#keys.newest;
    return { keyId: id, wrappedKey: encrypt(bytes, dataKey, associatedData) };
  }

  #dataKey({ keyId, wrappedKey }: Omit<SealedEnvelope, "ciphertext">, associatedData: string): Buffer {
    const key = this.#keys.all.find(({ id }) => id === keyId);
    if (!key) throw new UnknownSealingKey("The value was sealed under a key that is not configured");
    return decrypt(key.bytes, wrappedKey, associatedData);
  }
}
