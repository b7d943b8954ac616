import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

// The prefixes in the Standard Webhooks specification for asymmetric keys.
const secretPrefix = "whsk_";
const publicPrefix = "whpk_";
const keyBytes = 32;
// The DER headers for ed25519 keys (RFC 8410, sections 4 and 7), which the key's 32 bytes follow.
const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex");
const spkiHeader = Buffer.from("302a300506032b6570032100", "hex");

/** Generates an ed25519 private key in the form `whsk_<base64>`: the seed's 32 bytes, then the public key. */
export function generateEd25519Secret(): string {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-keyBytes);
  return secretPrefix + Buffer.concat([seed, rawPublicKey(publicKey)]).toString("base64");
}

/** True for what begins as an ed25519 key does, private or public. The key itself is not checked. */
export const hasEd25519Form = (text: string): boolean => text.startsWith(secretPrefix) || text.startsWith(publicPrefix);

/** Whether the text is an ed25519 private key: the seed, or the seed with the public key that belongs to it. */
export const isEd25519Secret = (text: string): boolean => privateKeyOf(text) !== undefined;

/** The public key for an ed25519 private key in the form `whpk_<base64>`; undefined for any other text. */
export function publicKeyOf(secret: string): string | undefined {
  const key = privateKeyOf(secret);
  return key && publicPrefix + rawPublicKey(createPublicKey(key)).toString("base64");
}

/** Signs with an ed25519 private key; undefined when the text is not one. */
export function signEd25519(secret: string, content: Uint8Array): Buffer | undefined {
  const key = privateKeyOf(secret);
  return key && sign(null, content, key);
}

/** Verifies with a key in the form `whpk_` or `whsk_`. Throws TypeError when the text is not one. */
export function verifyEd25519(key: string, content: Uint8Array, signature: Uint8Array): boolean {
  const bytes = rawPublicKeyOf(publicKeyOf(key) ?? key);
  if (!bytes) throw new TypeError("The ed25519 key is not valid.");
  const publicKey = createPublicKey({ key: spkiOf(bytes), format: "der", type: "spki" });
  return verify(null, content, publicKey, signature);
}

/** True for what begins as an ed25519 public key does, which anybody may know. */
export const hasPublicKeyForm = (text: string): boolean => text.startsWith(publicPrefix);

/** The 32 bytes in a public key with the form `whpk_<base64>`; undefined for any other text. */
export function rawPublicKeyOf(text: string): Buffer | undefined {
  const bytes = decoded(text, publicPrefix);
  return bytes?.length === keyBytes ? bytes : undefined;
}

/** The SubjectPublicKeyInfo in DER for a public key's 32 bytes. */
export const spkiOf = (raw: Buffer): Buffer => Buffer.concat([spkiHeader, raw]);

function privateKeyOf(text: string): KeyObject | undefined {
  const bytes = decoded(text, secretPrefix);
  if (bytes?.length !== keyBytes && bytes?.length !== 2 * keyBytes) return undefined;
  const seed = bytes.subarray(0, keyBytes);
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Header, seed]), format: "der", type: "pkcs8" });
  if (bytes.length === keyBytes) return key;
  return rawPublicKey(createPublicKey(key)).equals(bytes.subarray(keyBytes)) ? key : undefined;
}

function decoded(text: string, prefix: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const base64 = text.slice(prefix.length);
  const bytes = Buffer.from(base64, "base64");
  // Node ignores characters that are not base64, so the text is compared with the canonical form.
  return bytes.toString("base64") === base64 ? bytes : undefined;
}

const rawPublicKey = (key: KeyObject): Buffer => key.export({ format: "der", type: "spki" }).subarray(-keyBytes);
