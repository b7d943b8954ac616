import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import { derivedKey } from "../derived-key.js";

export type SecretMaterial = Record<string, unknown>;

/** What a sealed secret is bound to: moved to another row it does not open. */
export interface SecretOwner {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly version: number;
}

export interface SealedSecret {
  /** Names the key that wrapped `wrappedKey`, so that a changed SECRETS_KEY is told from damage. */
  readonly keyId: string;
  /** Destroying it destroys the secret. */
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
const shortestKeyBytes = 32;

/** Envelope encryption: a data key per credential version, itself wrapped by a key derived from SECRETS_KEY. */
export class SecretVault {
  readonly #wrappingKey: Buffer;
  readonly #digestKey: Buffer;
  readonly #keyId: string;

  constructor(secretsKey: Buffer) {
    if (secretsKey.length < shortestKeyBytes)
      throw new Error(`SECRETS_KEY must hold at least ${shortestKeyBytes} bytes`);
    this.#wrappingKey = derivedKey(secretsKey, "credential key wrapping");
    this.#digestKey = derivedKey(secretsKey, "credential digest");
    this.#keyId = createHmac("sha256", this.#wrappingKey).update("key id").digest("hex").slice(0, 16);
  }

  seal(owner: SecretOwner, secret: SecretMaterial): SealedSecret {
    const dataKey = randomBytes(32);
    const bound = associatedData(owner);
    return {
      keyId: this.#keyId,
      wrappedKey: encrypt(this.#wrappingKey, dataKey, bound),
      ciphertext: encrypt(dataKey, Buffer.from(JSON.stringify(secret)), bound),
    };
  }

  open(owner: SecretOwner, sealed: SealedSecret): SecretMaterial {
    if (sealed.keyId !== this.#keyId)
      throw new DomainError("SECRET_STORE_UNAVAILABLE", { detail: "The secret was sealed under another SECRETS_KEY." });
    const bound = associatedData(owner);
    const dataKey = decrypt(this.#wrappingKey, sealed.wrappedKey, bound);
    return JSON.parse(decrypt(dataKey, sealed.ciphertext, bound).toString()) as SecretMaterial;
  }

  /** Stands for a secret where requests are compared: a plain hash would let short secrets be guessed. */
  digest(secret: SecretMaterial): string {
    return createHmac("sha256", this.#digestKey).update(fingerprint(secret)).digest("hex");
  }
}

function associatedData({ tenantId, credentialId, version }: SecretOwner): Buffer {
  return Buffer.from(`${tenantId}|${credentialId}|${version}`);
}

function encrypt(key: Buffer, plain: Buffer, bound: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const encryption = createCipheriv(cipher, key, iv).setAAD(bound);
  const body = Buffer.concat([encryption.update(plain), encryption.final()]);
  return Buffer.concat([iv, encryption.getAuthTag(), body]);
}

function decrypt(key: Buffer, sealed: Buffer, bound: Buffer): Buffer {
  const decryption = createDecipheriv(cipher, key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(bound)
    .setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decryption.update(sealed.subarray(ivBytes + tagBytes)), decryption.final()]);
}
