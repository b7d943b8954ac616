import { createPublicKey, type KeyObject } from "node:crypto";
import type { JwsAlgorithm } from "@factory/schema/vocabularies/signatures";
import { flattenedVerify, type JWK } from "jose";
import { type InboundMessage, isRecent, singleHeader } from "./inbound-message.js";
import type { JwsScheme } from "./signature-scheme.js";

/** Finds a vendor's keys. Throws KeysUnavailable. */
export type FindKeys = (keyId: string | undefined) => Promise<readonly JWK[]>;

/** Thrown when the vendor's key set cannot be read, so that a signature can be neither accepted nor refused. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** The protected header's members (RFC 7515, section 4.1) that decide about the verification. */
interface ProtectedHeader {
  readonly alg: JwsAlgorithm;
  readonly kid: string | undefined;
  /** False: the signed payload is the body itself (RFC 7797). */
  readonly encoded: boolean;
  /** When the signature was made, in seconds since 1970, where the vendor sends it. */
  readonly issuedAt: number | undefined;
}

const detachedForm = /^([A-Za-z0-9_-]{2,4096})\.\.([A-Za-z0-9_-]{2,2048})$/;
const maxKeyIdLength = 200;

/**
 * Verifies a JWS with detached content over the body (RFC 7515 appendix F; RFC 7797). Without `b64` in its header the
 * body counts as encoded. Throws KeysUnavailable.
 */
export async function verifyJws(
  scheme: JwsScheme,
  message: InboundMessage,
  findKeys: FindKeys,
  now: Date,
): Promise<"valid" | "invalid" | "expired"> {
  const [, encodedHeader = "", signature = ""] = detachedForm.exec(singleHeader(message, scheme.header) ?? "") ?? [];
  const header = readHeader(encodedHeader, scheme.algorithms);
  if (!header) return "invalid";
  const payload = header.encoded ? message.body.toString("base64url") : message.body;
  const jws = { protected: encodedHeader, payload, signature };
  const options = { algorithms: [header.alg] };
  for (const jwk of await findKeys(header.kid)) {
    const key = usableKey(jwk, header);
    if (!key) continue;
    const result = await flattenedVerify(jws, key, options).then(
      () => true,
      () => false,
    );
    if (result) return header.issuedAt === undefined || isRecent(header.issuedAt, now) ? "valid" : "expired";
  }
  return "invalid";
}

function readHeader(text: string, algorithms: readonly JwsAlgorithm[]): ProtectedHeader | undefined {
  const header = parseObject(text);
  if (!header) return undefined;
  const { kid, iat } = header;
  const alg = algorithms.find((candidate) => candidate === header["alg"]);
  const hasEncodedPayload = isEncoded(header);
  if (!alg || hasEncodedPayload === undefined) return undefined;
  if (kid !== undefined && (typeof kid !== "string" || kid.length > maxKeyIdLength)) return undefined;
  if (iat !== undefined && !isWholeNumber(iat)) return undefined;
  return { alg, kid, encoded: hasEncodedPayload, issuedAt: iat };
}

const isWholeNumber = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Whether the payload is encoded (RFC 7797, section 3). Undefined: the header names a critical member other than `b64`,
 * which is not understood (RFC 7515, section 4.1.11), or `b64` is not among the critical members.
 */
function isEncoded({ crit, b64 }: Readonly<Record<string, unknown>>): boolean | undefined {
  if (crit === undefined) return b64 === undefined ? true : undefined;
  const isUnderstood = Array.isArray(crit) && crit.length === 1 && crit[0] === "b64";
  return isUnderstood && typeof b64 === "boolean" ? b64 : undefined;
}

function parseObject(encodedText: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = Buffer.from(encodedText, "base64url");
  if (bytes.toString("base64url") !== encodedText) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const keyTypes: Record<JwsAlgorithm, { readonly kty: string; readonly crv?: string }> = {
  EdDSA: { kty: "OKP", crv: "Ed25519" },
  ES256: { kty: "EC", crv: "P-256" },
  PS256: { kty: "RSA" },
  RS256: { kty: "RSA" },
};

/** A larger modulus makes a verification slow. */
const rsaBits = { min: 2_048, max: 8_192 };
const maxExponentLength = 6;

/** A JWS's algorithm and key id. */
interface WantedKey {
  readonly alg: JwsAlgorithm;
  readonly kid: string | undefined;
}

/** The key, if it is a public key for signatures with this algorithm. A key never brings its own algorithm. */
function usableKey(jwk: JWK, wantedKey: WantedKey): KeyObject | undefined {
  const { kty } = keyTypes[wantedKey.alg];
  if (!isFor(jwk, wantedKey)) return undefined;
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
