import { createPublicKey, type KeyObject } from "node:crypto";
import type { JWK } from "jose";
import type { JwsAlgorithm } from "./signature-scheme.js";

const keyTypes: Record<JwsAlgorithm, { readonly kty: string; readonly crv?: string }> = {
  EdDSA: { kty: "OKP", crv: "Ed25519" },
  ES256: { kty: "EC", crv: "P-256" },
  PS256: { kty: "RSA" },
  RS256: { kty: "RSA" },
};

/** A larger modulus makes a verification slow. */
const rsaBits = { min: 2_048, max: 8_192 };
const maxExponentLength = 6;

/** The algorithm and the key id of a JWS. */
interface WantedKey {
  readonly alg: JwsAlgorithm;
  readonly kid: string | undefined;
}

/** The key, if it is a public key for signatures with this algorithm. A key never brings its own algorithm. */
export function usableKey(jwk: JWK, wanted: WantedKey): KeyObject | undefined {
  const { kty } = keyTypes[wanted.alg];
  if (!isFor(jwk, wanted)) return undefined;
  const { crv, n, e, x, y } = jwk;
  if (kty === "RSA" && (typeof e !== "string" || e.length > maxExponentLength)) return undefined;
  // Only public members are taken, whatever else the set holds.
  const members = kty === "RSA" ? { n, e } : { crv, x, ...(kty === "EC" ? { y } : {}) };
  try {
    const key = createPublicKey({ key: { kty, ...members } as Record<string, string>, format: "jwk" });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? rsaBits.min;
    return bits >= rsaBits.min && bits <= rsaBits.max ? key : undefined;
  } catch {
    return undefined;
  }
}

function isFor(jwk: JWK, { alg, kid }: WantedKey): boolean {
  const { kty, crv } = keyTypes[alg];
  const { use = "sig", key_ops: operations = ["verify"] } = jwk;
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) return false;
  if ((kid !== undefined && jwk.kid !== kid) || (jwk.alg ?? alg) !== alg) return false;
  return use === "sig" && Array.isArray(operations) && operations.includes("verify");
}
