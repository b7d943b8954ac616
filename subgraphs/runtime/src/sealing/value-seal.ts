import { decrypt, encrypt } from "./aes-gcm.js";
import type { Keyring } from "./master-keys.js";

/** The master key that sealed the value is not configured. */
export class UnknownSealingKey extends Error {
  override readonly name = "UnknownSealingKey";
}

export interface OpenedValue {
  readonly text: string;
  /** The same, sealed anew, where the value was sealed under a former key or in a former form: store it instead. */
  readonly resealed: string | undefined;
}

/** Short texts that are stored sealed: `<key id>.<base64url of nonce, tag and ciphertext>`, AES-256-GCM. */
export class ValueSeal {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** `bound` says where the value belongs, e.g. the key of its row: moved elsewhere it does not open. */
  seal(text: string, bound: string): string {
    const { id, bytes } = this.#keys.newest;
    return `${id}.${encrypt(bytes, Buffer.from(text), bound).toString("base64url")}`;
  }

  /** Throws when the value was changed, is bound to something else, or was sealed for another purpose. */
  open(sealed: string, bound: string): OpenedValue {
    const dot = sealed.indexOf(".");
    const body = Buffer.from(sealed.slice(dot + 1), "base64url");
    // decoding passes over the bits behind the last whole byte
    if (body.toString("base64url") !== sealed.slice(dot + 1)) throw new Error("The sealed value is damaged");
    const keyId = dot === -1 ? undefined : sealed.slice(0, dot);
    const text = this.#decrypted(keyId, body, bound).toString();
    return { text, resealed: keyId === this.#keys.newest.id ? undefined : this.seal(text, bound) };
  }

  #decrypted(keyId: string | undefined, body: Buffer, bound: string): Buffer {
    const { all, oldest } = this.#keys;
    // until 2026-11-22 there was one master key, and values named none
    const key = keyId === undefined ? oldest : all.find(({ id }) => id === keyId);
    if (!key) throw new UnknownSealingKey("The value was sealed under a key that is not configured");
    return decrypt(key.bytes, body, bound);
  }
}
