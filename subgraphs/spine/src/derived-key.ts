import { hkdfSync } from "node:crypto";

export type KeyPurpose = "list cursors" | "client secrets" | "signing keys" | "cookies" | "forms" | "invitation tokens";

/** 256 bits for one purpose from SECRETS_KEY: HKDF-SHA-256 (RFC 5869), no salt, info `factory spine <purpose>`. */
export function derivedKey(secretsKey: Buffer, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync("sha256", secretsKey, "", `factory spine ${purpose}`, 32));
}
