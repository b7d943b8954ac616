import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import type { FieldError } from "@factory/runtime/errors/domain-error";

/** A client's public key (RFC 7517) with only the members that are needed to verify signatures. */
export interface PublicJwk {
  readonly kid: string;
  readonly kty: "EC" | "OKP" | "RSA";
  /** For RSA only, if the client limits the key to one algorithm. */
  readonly alg?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/** A JWK Set (RFC 7517) with public keys, stored as JSON. */
export interface PublicKeySet {
  readonly keys: readonly PublicJwk[];
}

/** A set's accepted keys, and an error for each refused one. */
interface CheckedKeySet {
  readonly keySet: PublicKeySet;
  readonly errors: FieldError[];
}

const maxKeys = 5;
const keyIdPattern = /^[!-~]{1,200}$/;
const [minRsaBits, maxRsaBits] = [2048, 4096];
/** A larger exponent makes verification slow; a smaller one makes forgery easier. */
const rsaExponent = 65_537n;

const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];

const kinds = [
  { kty: "EC", crv: "P-256", algorithms: ["ES256"] },
  { kty: "OKP", crv: "Ed25519", algorithms: ["EdDSA", "Ed25519"] },
  { kty: "RSA", crv: undefined, algorithms: ["PS256", "RS256"] },
] as const;

/** The algorithms a client may sign with. `EdDSA` and `Ed25519` name the same algorithm (RFC 9864). */
export const keyAlgorithms = kinds.flatMap(({ algorithms }) => algorithms);

type Kind = (typeof kinds)[number];
type Refusal = [member: string, code: string, detail: string];

/**
 * Checks the input `jwks`. Errors point into `/input/jwks` and never repeat a key's content, since it may be a private
 * key that was sent by mistake.
 */
export function checkKeySet({ keys }: Record<string, unknown>): CheckedKeySet {
  const pointer = "/input/jwks/keys";
  if (!Array.isArray(keys) || keys.length < 1 || keys.length > maxKeys)
    return {
      keySet: { keys: [] },
      errors: [
        { pointer, code: "OUT_OF_RANGE", detail: `The member keys must be a list of 1 to ${maxKeys} public keys.` },
      ],
    };
  const seenIds = new Set<unknown>();
  const acceptedKeys: PublicJwk[] = [];
  const errors = keys.flatMap((candidate: unknown, index) => {
    const result = checkKey(candidate, seenIds);
    if (!Array.isArray(result)) {
      acceptedKeys.push(result);
      return [];
    }
    const [member, code, detail] = result;
    return [{ pointer: `${pointer}/${index}${member}`, code, detail }];
  });
  return { keySet: { keys: acceptedKeys }, errors };
}

/** Whether both are the same key, under any kid. */
export function isSameKey(first: PublicJwk, other: PublicJwk): boolean {
  return (["kty", "crv", "x", "y", "n", "e"] as const).every((member) => first[member] === other[member]);
}

function checkKey(candidate: unknown, seenIds: Set<unknown>): PublicJwk | Refusal {
  if (typeof candidate !== "object" || candidate === null || Array.isArray(candidate))
    return ["", "TYPE", "The key must be a JSON Web Key (RFC 7517)."];
  const jwk: Record<string, unknown> = { ...candidate };
  const privateMember = privateMembers.find((member) => jwk[member] !== undefined);
  if (privateMember !== undefined)
    return [
      `/${privateMember}`,
      "UNKNOWN_VALUE",
      "The key holds a private member. Send public keys only, and replace this key, since it was disclosed.",
    ];
  const kind = kinds.find(({ kty, crv }) => jwk["kty"] === kty && (crv === undefined || jwk["crv"] === crv));
  if (!kind) return ["/kty", "UNKNOWN_VALUE", "The key type must be EC with P-256, OKP with Ed25519, or RSA."];
  const { kid } = jwk;
  if (typeof kid !== "string" || !keyIdPattern.test(kid))
    return ["/kid", "FORMAT", "Every key needs a kid of 1 to 200 printable ASCII characters, without spaces."];
  if (seenIds.has(kid))
    return ["/kid", "DUPLICATE", "Another key of the set has the same kid. Give every key its own kid."];
  seenIds.add(kid);
  return useRefusal(jwk, kind) ?? imported(jwk, kid, kind);
}

/** The members alg, use and key_ops (RFC 7517 section 4), if present, must allow to verify signatures. */
function useRefusal({ alg, use, key_ops: operations }: Record<string, unknown>, kind: Kind): Refusal | undefined {
  if (alg !== undefined && !kind.algorithms.some((algorithm) => algorithm === alg))
    return ["/alg", "UNKNOWN_VALUE", `The member alg must be ${kind.algorithms.join(" or ")} for this key.`];
  if (use !== undefined && use !== "sig") return ["/use", "UNKNOWN_VALUE", "The member use must be sig, or absent."];
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify")))
    return ["/key_ops", "UNKNOWN_VALUE", "The member key_ops must include verify, or be absent."];
  return undefined;
}

function imported(jwk: Record<string, unknown>, kid: string, { kty }: Kind): PublicJwk | Refusal {
  const key = publicKey(jwk);
  if (!key) return ["", "FORMAT", `These members do not make a valid public ${kty} key.`];
  const { modulusLength: bits = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (kty === "RSA" && (bits < minRsaBits || bits > maxRsaBits || publicExponent !== rsaExponent))
    return [
      "/n",
      "OUT_OF_RANGE",
      `An RSA key must have ${minRsaBits} to ${maxRsaBits} bits and the exponent ${rsaExponent}.`,
    ];
  const members = key.export({ format: "jwk" });
  const { alg } = jwk;
  return { ...members, kid, kty, ...(kty === "RSA" && typeof alg === "string" ? { alg } : {}) };
}

/** Node checks that the point is on its curve. */
function publicKey(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return undefined;
  }
}
