import { createPublicKey, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import { decodeBase64 } from "./encoded-signature.js";

const maxKeyLength = 1_000;
const parsedKeys = new LRUCache<string, KeyObject | "unusable">({ max: 1_000 });

/** A public key of the curve P-256, as PEM or as SPKI in base64; undefined for any other text. */
export function p256Key(text: string): KeyObject | undefined {
  if (text.length > maxKeyLength) return undefined;
  const known = parsedKeys.get(text) ?? parseKey(text);
  parsedKeys.set(text, known);
  return known === "unusable" ? undefined : known;
}

function parseKey(text: string): KeyObject | "unusable" {
  try {
    const pem = text.trimStart().startsWith("-----BEGIN PUBLIC KEY-----");
    const der = pem ? undefined : decodeBase64(text.replaceAll(/\s/g, ""));
    if (!pem && !der) return "unusable";
    const key = der ? createPublicKey({ key: der, format: "der", type: "spki" }) : createPublicKey(text);
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : "unusable";
  } catch {
    return "unusable";
  }
}
