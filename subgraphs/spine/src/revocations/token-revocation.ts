import { clientsOf, marginOf, type Revocation } from "@factory/runtime/auth/revocations";
import { readClaims } from "@factory/runtime/auth/token-claims";
import type { Pool } from "pg";

const revocationOfToken = {
  name: "revocation_of_token",
  text: `select kind from revocations where expires_at > now()
    and (kind = 'Token' and subject = $1 or kind = 'Grant' and subject = $2
      or kind = 'Principal' and subject = $3 and revoked_at >= $6
      or kind = 'Client' and subject = any($4) and revoked_at >= $5) limit 1`,
};

/**
 * Whether a revocation in any tenant covers the token with these claims, by the rules of `Revocations` in the verifiers.
 * Reads the database, since verifiers learn of a revocation a moment later. `pool` connects as the worker role.
 */
export async function isTokenRevoked(pool: Pool, claims: unknown): Promise<boolean> {
  const { principal, issuedAtMs } = readClaims(claims, Math.floor(Date.now() / 1000));
  const { tokenId, grantId, subject } = principal;
  const coveredFrom = (kind: Revocation["kind"]) => new Date(issuedAtMs - marginOf(kind, principal));
  const clients = clientsOf(principal);
  const values = [tokenId, grantId ?? null, subject, clients, coveredFrom("Client"), coveredFrom("Principal")];
  return (await pool.query({ ...revocationOfToken, values })).rows.length > 0;
}
