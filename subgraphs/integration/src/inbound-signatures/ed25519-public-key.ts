import { createPublicKey, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import { rawPublicKeyOf, spkiOf } from "../standard-webhooks/ed25519-key.js";
import { decodeBase64, decodeBytes } from "./encoded-signature.js";

const maxKeyLength = 1_000;
const keyBytes = 32;
const parsedKeys = new LRUCache<string, KeyObject | "unusable">({ max: 1_000 });

/** An ed25519 public key as `whpk_…`, 32 bytes in hex or base64, PEM, or SPKI in base64; undefined for any other text. */
export function ed25519Key(text: string): KeyObject | undefined {
  if (text.length > maxKeyLength) return undefined;
  const known = parsedKeys.get(text) ?? parseKey(text);
  parsedKeys.set(text, known);
  return known === "unusable" ? undefined : known;
}

function parseKey(text: string): KeyObject | "unusable" {
  try {
    const pem = text.trimStart().startsWith("-----BEGIN PUBLIC KEY-----");
    const bare = text.replaceAll(/\s/g, "");
    const raw = rawPublicKeyOf(bare) ?? decodeBytes(bare, "hex", keyBytes) ?? decodeBytes(bare, "base64", keyBytes);
    const der = raw ? spkiOf(raw) : pem ? undefined : decodeBase64(bare);
    if (!pem && !der) return "unusable";
    const key = der ? createPublicKey({ key: der, format: "der", type: "spki" }) : createPublicKey(text);
    return key.asymmetricKeyType === "ed25519" ? key : "unusable";
  } catch {
    return "unusable";
  }
}
