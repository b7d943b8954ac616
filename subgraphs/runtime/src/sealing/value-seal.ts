import { decrypt, encrypt } from "./aes-gcm.js";
import type { Keyring } from "./master-keys.js";

/** Thrown when the master key that sealed a value is not configured. */
export class UnknownSealingKey extends Error {
  override readonly name = "UnknownSealingKey";
}

/** The result when a sealed value is opened. */
export interface OpenedValue {
  readonly text: string;
  /**
   * The value sealed again, where it was sealed with a former key or in a former format. Store it instead of the old
   * one.
   */
  readonly resealed: string | undefined;
}

/** Seals short texts with AES-256-GCM as `<key id>.<base64url>`, over nonce, tag and ciphertext. */
export class ValueSeal {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  get newestKeyId(): string {
    return this.#keys.newest.id;
  }

  /**
   * `associatedData` says where the value belongs, for example its row's key. It is authenticated, so the value cannot
   * be moved.
   */
  seal(text: string, associatedData: string): string {
    const { id, bytes } = this.#keys.newest;
    return `${id}.${encrypt(bytes, Buffer.from(text), associatedData).toString("base64url")}`;
  }

  /** Throws when the value was changed, is bound to something else, or was sealed for another purpose. */
  open(sealedText: string, associatedData: string): OpenedValue {
    const dot = sealedText.indexOf(".");
    const body = Buffer.from(sealedText.slice(dot + 1), "base64url");
    // The decoder ignores bits after the last whole byte, so several texts would decode to the same bytes.
    if (body.toString("base64url") !== sealedText.slice(dot + 1)) throw new Error("The sealed value is damaged");
    const keyId = dot === -1 ? undefined : sealedText.slice(0, dot);
    const text = this.#decrypted(keyId, body, associatedData).toString();
    return { text, resealed: keyId === this.#keys.newest.id ? undefined : this.seal(text, associatedData) };
  }

  #decrypted(keyId: string | undefined, body: Buffer, associatedData: string): Buffer {
    const { all, oldest } = this.#keys;
    // Values from before 2026-11-22 name no key: there was one master key.
    const key = keyId === undefined ? oldest : all.find(({ id }) => id === keyId);
    if (!key) throw new UnknownSealingKey("The value was sealed under a key that is not configured");
    return decrypt(key.bytes, body, associatedData);
  }
}
