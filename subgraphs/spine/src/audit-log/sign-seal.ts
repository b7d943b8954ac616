import { CompactSign, compactVerify, decodeProtectedHeader, importJWK } from "jose";
import type { AuditKey, AuditKeys } from "./audit-keys.js";

/** A seal's payload: the head in a tenant's chain at a time. */
export interface SealedHead {
  readonly tenantId: string;
  readonly position: number;
  /** Hexadecimal. */
  readonly hash: string;
  /** RFC 3339, UTC. */
  readonly sealedAt: string;
}

const typ = "audit-seal";

/** Signs a head: a compact JWS (RFC 7515) with ES256, whose `kid` names a key in `AuditKeys`. */
export async function signSeal(head: SealedHead, { keyId, privateJwk }: AuditKey): Promise<string> {
  const { tenantId, position, hash, sealedAt } = head;
  return new CompactSign(Buffer.from(JSON.stringify({ tenantId, position, hash, sealedAt })))
    .setProtectedHeader({ alg: "ES256", kid: keyId, typ })
    .sign(await importJWK(privateJwk));
}

/** The signed head; undefined unless a platform key has signed the text. */
export async function openSeal(jws: string, keys: AuditKeys): Promise<SealedHead | undefined> {
  const keyId = keyIdOf(jws);
  const key = keyId === undefined ? undefined : await keys.verification(keyId);
  if (!key) return undefined;
  try {
    const { payload, protectedHeader } = await compactVerify(jws, await importJWK(key), { algorithms: ["ES256"] });
    return protectedHeader.typ === typ ? (JSON.parse(new TextDecoder().decode(payload)) as SealedHead) : undefined;
  } catch {
    return undefined;
  }
}

function keyIdOf(jws: string): string | undefined {
  try {
    return decodeProtectedHeader(jws).kid;
  } catch {
    return undefined;
  }
}
