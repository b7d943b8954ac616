import { createPublicKey, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import { rawPublicKeyOf, spkiOf } from "../../ground/standard-webhooks/ed25519-key.js";
import { decodeBase64, decodeBytes } from "./encoded-signature.js";

const maxKeyLength = 1_000;
const maxKeys = 1_000;
const ed25519Bytes = 32;

/** An ed25519 public key as `whpk_…`, 32 bytes in hex or base64, PEM, or SPKI in base64; undefined for any other text. */
export const ed25519Key = publicKeys(({ asymmetricKeyType }) => asymmetricKeyType === "ed25519", ed25519Spki);

/** A public key on the curve P-256, as PEM or as SPKI in base64; undefined for any other text. */
export const p256Key = publicKeys(({ asymmetricKeyDetails }) => asymmetricKeyDetails?.namedCurve === "prime256v1");

/** Reads keys of one kind, each text once. `spkiOfShort` reads a form that is shorter than SPKI. */
function publicKeys(
  isOfKind: (key: KeyObject) => boolean,
  spkiOfShort: (text: string) => Buffer | undefined = () => undefined,
): (text: string) => KeyObject | undefined {
  const keys = new LRUCache<string, KeyObject | "unusable">({ max: maxKeys });
  const parse = (text: string): KeyObject | "unusable" => {
    try {
      const pem = text.trimStart().startsWith("-----BEGIN PUBLIC KEY-----");
      const bare = text.replaceAll(/\s/g, "");
      const der = spkiOfShort(bare) ?? (pem ? undefined : decodeBase64(bare));
      if (!pem && !der) return "unusable";
      const key = der ? createPublicKey({ key: der, format: "der", type: "spki" }) : createPublicKey(text);
      return isOfKind(key) ? key : "unusable";
    } catch {
      return "unusable";
    }
  };
  return (text) => {
    if (text.length > maxKeyLength) return undefined;
    const key = keys.get(text) ?? parse(text);
    keys.set(text, key);
    return key === "unusable" ? undefined : key;
  };
}

function ed25519Spki(text: string): Buffer | undefined {
  const raw =
    rawPublicKeyOf(text) ?? decodeBytes(text, "hex", ed25519Bytes) ?? decodeBytes(text, "base64", ed25519Bytes);
  return raw && spkiOf(raw);
}
