import { randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.js";
import type { Keyring } from "./master-keys.js";
import { UnknownSealingKey } from "./value-seal.js";

/** A value under a data key of its own, which is wrapped by a key that is derived from a master key. */
export interface SealedEnvelope {
  /** Names the key that wrapped `wrappedKey`, so that a changed SECRETS_KEY is told from damage. */
  readonly keyId: string;
  /** Destroying it destroys the value. */
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

/** Envelope encryption with AES-256-GCM. A new master key means new wrapping, and no new ciphertext. */
export class EnvelopeSeal {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** Of the former master keys: what they wrapped is to be rewrapped. */
  get formerKeyIds(): readonly string[] {
    return this.#keys.all.slice(1).map(({ id }) => id);
  }

  /** `bound` says where the value belongs, e.g. the key of its row: moved elsewhere it does not open. */
  seal(plain: Buffer, bound: string): SealedEnvelope {
    const dataKey = randomBytes(32);
    return { ...this.#wrapped(dataKey, bound), ciphertext: encrypt(dataKey, plain, bound) };
  }

  open(sealed: SealedEnvelope, bound: string): Buffer {
    return decrypt(this.#dataKey(sealed, bound), sealed.ciphertext, bound);
  }

  /** Under the newest key. */
  rewrapped(sealed: Omit<SealedEnvelope, "ciphertext">, bound: string): Omit<SealedEnvelope, "ciphertext"> {
    return this.#wrapped(this.#dataKey(sealed, bound), bound);
  }

  #wrapped(dataKey: Buffer, bound: string) {
    const { id, bytes } = this.#keys.newest;
    return { keyId: id, wrappedKey: encrypt(bytes, dataKey, bound) };
  }

  #dataKey({ keyId, wrappedKey }: Omit<SealedEnvelope, "ciphertext">, bound: string): Buffer {
    const key = this.#keys.all.find(({ id }) => id === keyId);
    if (!key) throw new UnknownSealingKey("The value was sealed under a key that is not configured");
    return decrypt(key.bytes, wrappedKey, bound);
  }
}
