import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import type { FieldError } from "@factory/runtime/errors/domain-error";

/** A key of a client, reduced to what verifies its signatures. */
export interface PublicJwk {
  readonly kid: string;
  readonly kty: "EC" | "OKP" | "RSA";
  /** Of RSA alone, and only if the client keeps to one. */
  readonly alg?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/** Stored as JSON; what is public of a JWK Set (RFC 7517). */
export interface PublicKeySet {
  readonly keys: readonly PublicJwk[];
}

export interface CheckedKeySet {
  readonly keySet: PublicKeySet;
  readonly errors: FieldError[];
}

const maxKeys = 5;
const keyIdForm = /^[!-~]{1,200}$/;
const [minRsaBits, maxRsaBits] = [2048, 4096];
/** A larger exponent makes every verification slow, a smaller one invites forgeries. */
const rsaExponent = 65_537n;

const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];

const kinds = [
  { kty: "EC", crv: "P-256", algorithms: ["ES256"] },
  { kty: "OKP", crv: "Ed25519", algorithms: ["EdDSA", "Ed25519"] },
  { kty: "RSA", crv: undefined, algorithms: ["PS256", "RS256"] },
] as const;

/** What a client may sign with; `EdDSA` and `Ed25519` are two names of one algorithm (RFC 9864). */
export const keyAlgorithms = kinds.flatMap(({ algorithms }) => algorithms);

type Kind = (typeof kinds)[number];
type Refusal = [member: string, code: string, detail: string];

/** Refuses at `/input/jwks`, without repeating anything of a key: somebody may have sent his private one. */
export function checkKeySet({ keys }: Record<string, unknown>): CheckedKeySet {
  const pointer = "/input/jwks/keys";
  if (!Array.isArray(keys) || keys.length < 1 || keys.length > maxKeys)
    return {
      keySet: { keys: [] },
      errors: [{ pointer, code: "OUT_OF_RANGE", detail: `Must be a list of 1 to ${maxKeys} public keys.` }],
    };
  const seen = new Set<unknown>();
  const accepted: PublicJwk[] = [];
  const errors = keys.flatMap((given: unknown, index) => {
    const checked = checkKey(given, seen);
    if (!Array.isArray(checked)) {
      accepted.push(checked);
      return [];
    }
    const [member, code, detail] = checked;
    return [{ pointer: `${pointer}/${index}${member}`, code, detail }];
  });
  return { keySet: { keys: accepted }, errors };
}

/** Whatever it is named. */
export function isSameKey(one: PublicJwk, other: PublicJwk): boolean {
  return (["kty", "crv", "x", "y", "n", "e"] as const).every((member) => one[member] === other[member]);
}

function checkKey(given: unknown, seen: Set<unknown>): PublicJwk | Refusal {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return ["", "TYPE", "Must be a JSON Web Key (RFC 7517)."];
  const jwk: Record<string, unknown> = { ...given };
  const leaked = privateMembers.find((member) => jwk[member] !== undefined);
  if (leaked !== undefined)
    return [`/${leaked}`, "UNKNOWN_VALUE", "Only public keys are taken. Replace this one: it was sent."];
  const kind = kinds.find(({ kty, crv }) => jwk["kty"] === kty && (crv === undefined || jwk["crv"] === crv));
  if (!kind) return ["/kty", "UNKNOWN_VALUE", "Must be EC with P-256, OKP with Ed25519, or RSA."];
  const { kid } = jwk;
  if (typeof kid !== "string" || !keyIdForm.test(kid))
    return ["/kid", "FORMAT", "Every key needs a name of 1 to 200 printable ASCII characters, without spaces."];
  if (seen.has(kid)) return ["/kid", "DUPLICATE", "Another key has the same name."];
  seen.add(kid);
  return useRefusal(jwk, kind) ?? imported(jwk, kid, kind);
}

/** Members that bind a key to a use (RFC 7517 section 4): absent, or for signatures. */
function useRefusal({ alg, use, key_ops: operations }: Record<string, unknown>, kind: Kind): Refusal | undefined {
  if (alg !== undefined && !kind.algorithms.some((known) => known === alg))
    return ["/alg", "UNKNOWN_VALUE", `Must be ${kind.algorithms.join(" or ")}.`];
  if (use !== undefined && use !== "sig") return ["/use", "UNKNOWN_VALUE", "Must be sig."];
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify")))
    return ["/key_ops", "UNKNOWN_VALUE", "Must hold verify."];
  return undefined;
}

function imported(jwk: Record<string, unknown>, kid: string, { kty }: Kind): PublicJwk | Refusal {
  const key = publicKey(jwk);
  if (!key) return ["", "FORMAT", `No public ${kty} key has these members.`];
  const { modulusLength: bits = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (kty === "RSA" && (bits < minRsaBits || bits > maxRsaBits || publicExponent !== rsaExponent))
    return ["/n", "OUT_OF_RANGE", `Must have ${minRsaBits} to ${maxRsaBits} bits and the exponent ${rsaExponent}.`];
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
