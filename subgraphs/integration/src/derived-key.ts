import { hkdfSync } from "node:crypto";

export type KeyPurpose = "credential key wrapping" | "credential digest" | "list cursors";

/** 256 bits for one purpose from SECRETS_KEY: HKDF-SHA-256 (RFC 5869), no salt. */
export function derivedKey(secretsKey: Buffer, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync("sha256", secretsKey, "", purpose, 32));
}
