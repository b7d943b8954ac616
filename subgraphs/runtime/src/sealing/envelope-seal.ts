import { randomBytes } from "node:crypto";
import { decrypt, encrypt } from "./aes-gcm.js";
import type { Keyring } from "./master-keys.js";
import { UnknownSealingKey } from "./value-seal.js";

/** A value that is encrypted with its own data key, which is encrypted with a key derived from a master key. */
interface SealedEnvelope {
  /** The ID of the key that encrypted `wrappedKey`. It distinguishes a changed SECRETS_KEY from damage. */
  readonly keyId: string;
  /** The encrypted data key. Deleting it makes the value unreadable. */
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

/** Envelope encryption with AES-256-GCM. After the master key has changed, only data keys are encrypted again. */
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
   * `associatedData` says where the value belongs, for example its row's key. It is authenticated, so the value cannot
   * be moved.
   */
  seal(plain: Buffer, associatedData: string): SealedEnvelope {
    const dataKey = randomBytes(32);
    return { ...this.#wrapped(dataKey, associatedData), ciphertext: encrypt(dataKey, plain, associatedData) };
  }

  open(envelope: SealedEnvelope, associatedData: string): Buffer {
    return decrypt(this.#dataKey(envelope, associatedData), envelope.ciphertext, associatedData);
  }

  /** As `seal`, in one text: `<key id>.<wrapped data key>.<ciphertext>` in base64url. */
  sealText(text: string, associatedData: string): string {
    const { keyId, wrappedKey, ciphertext } = this.seal(Buffer.from(text), associatedData);
    return [keyId, wrappedKey.toString("base64url"), ciphertext.toString("base64url")].join(".");
  }

  openText(sealedText: string, associatedData: string): string {
    return this.open(envelopeOf(sealedText), associatedData).toString();
  }

  /** The same text and data key, encrypted with the newest key. */
  rewrappedText(sealedText: string, associatedData: string): string {
    const { ciphertext, ...wrapping } = envelopeOf(sealedText);
    const { keyId, wrappedKey } = this.rewrapped(wrapping, associatedData);
    // Opening it proves that the ciphertext is not damaged.
    this.open({ keyId, wrappedKey, ciphertext }, associatedData);
    return [keyId, wrappedKey.toString("base64url"), ciphertext.toString("base64url")].join(".");
  }

  /** The same data key, encrypted with the newest key. */
  rewrapped(envelope: Omit<SealedEnvelope, "ciphertext">, associatedData: string): Omit<SealedEnvelope, "ciphertext"> {
    return this.#wrapped(this.#dataKey(envelope, associatedData), associatedData);
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

/** True for a text from `sealText`, and false for one from `ValueSeal`. */
export const isEnvelopeText = (sealedText: string): boolean => sealedText.split(".").length === 3;

function envelopeOf(sealedText: string): SealedEnvelope {
  const [keyId = "", ...parts] = sealedText.split(".");
  const [wrappedKey, ciphertext] = parts.map((part) => Buffer.from(part, "base64url"));
  // The decoder ignores bits after the last whole byte, so several texts would decode to the same bytes.
  if (
    !wrappedKey ||
    !ciphertext ||
    [wrappedKey, ciphertext].some((part, place) => part.toString("base64url") !== parts[place])
  )
    throw new Error("The sealed value is damaged");
  return { keyId, wrappedKey, ciphertext };
}
