/** Transactions and reads give times in different forms, so times are milliseconds here. */
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8 as ${column}`;

export const tokenColumns = `version, key_id, wrapped_key, ciphertext, ${["issued_at", "expires_at", "failed_at"].map(ms).join(", ")},
     failure_code, client, failed_client, leases, coalesce(leased_until > now(), false) as is_leased`;

/** The row of a connection's tokens. The arguments are SQL. */
export const tokensOfConnection = (tenant: string, connection: string): string =>
  `select ${tokenColumns} from connection_tokens where tenant_id = ${tenant} and connection_id = ${connection}`;

/** The lease is a new one, so that a commit whose answer was lost is not repeated. */
const stored = `version = held.version + 1, key_id = $3, wrapped_key = $4, ciphertext = $5, scope = $6, issued_at = $7,
      expires_at = $8, client = $9, leases = held.leases + 1, leased_until = null, failed_at = null,
      failure_code = null, failed_client = null`;

/** $3 to $9: the sealed tokens and their client. */
export const storeTokens = `insert into connection_tokens as held
    (tenant_id, connection_id, key_id, wrapped_key, ciphertext, scope, issued_at, expires_at, client, version, leases)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, 0)
  on conflict (tenant_id, connection_id) do update set ${stored}`;

/** As `storeTokens`, for the holder of lease $10. */
export const storeLeased = {
  name: "connection_token_refreshed",
  text: `update connection_tokens held set ${stored}
    where tenant_id = $1 and connection_id = $2 and leases = $10 returning expires_at`,
};

/** $3: the time, $4: the code, $5: the lease, $6: the client. */
export const storeFailure = {
  name: "connection_token_failed",
  text: `update connection_tokens set leased_until = null, failed_at = $3, failure_code = $4, failed_client = $6
    where tenant_id = $1 and connection_id = $2 and leases = $5 returning version`,
};

/** $3: the lease. */
export const releaseLease = `update connection_tokens set leased_until = null
  where tenant_id = $1 and connection_id = $2 and leases = $3`;

/** $2: the credential whose clients got the tokens. */
export const forgetTokensOfCredential =
  "delete from connection_tokens where tenant_id = $1 and client->>'credentialId' = $2";

export const forgetTokens = "delete from connection_tokens where tenant_id = $1 and connection_id = $2";
