import { heldVersions, type RevocableToken } from "@factory/runtime/auth/token-versions";
import type { Pool } from "pg";

/**
 * The condition that a revocation covers a token, by the rule in the verifiers' `Revocations`. `revocableParameters`
 * gives the parameters, which begin at this number.
 */
export const coversToken = (first: number): string => `exists (
    select from unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[]) as held (kind, subject, version)
    join revocations on revocations.kind = held.kind and revocations.subject = held.subject
    where revocations.version > held.version and expires_at > now())`;

export function revocableParameters(token: RevocableToken): [string[], string[], number[]] {
  const versions = heldVersions(token);
  return [
    versions.map(({ kind }) => kind),
    versions.map(({ subject }) => subject),
    versions.map(({ version }) => version),
  ];
}

const revocationOfToken = { name: "revocation_of_token", text: `select ${coversToken(1)} as revoked` };

/**
 * Whether a revocation in any tenant covers the token. Reads the database, since verifiers learn about a revocation a
 * moment later. `pool` connects as the worker role.
 */
export async function isTokenRevoked(pool: Pool, token: RevocableToken): Promise<boolean> {
  const values = revocableParameters(token);
  const { rows } = await pool.query<{ revoked: boolean }>({ ...revocationOfToken, values });
  return rows[0]?.revoked === true;
}
