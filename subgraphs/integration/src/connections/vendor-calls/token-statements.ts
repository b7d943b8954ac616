import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { ConnectionToken } from "./connection-token.entity.js";

const members = [
  "version",
  "keyId",
  "wrappedKey",
  "ciphertext",
  "failureCode",
  "client",
  "failedClient",
  "leases",
] as const satisfies (keyof ConnectionToken)[];

const times = ["issued_at", "expires_at", "failed_at"] as const;

export type TokenRow = RowOf<ConnectionToken, (typeof members)[number]> &
  Record<(typeof times)[number], number | null> & { is_leased: boolean };

/** Transactions and reads give times in different forms, so times are milliseconds here. */
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8 as ${column}`;

export const tokenColumns = `${columnsOf(ConnectionToken, members)}, ${times.map(ms).join(", ")},
     coalesce(leased_until > now(), false) as is_leased`;

/** The row with a connection's tokens. The arguments are SQL. */
export const tokensOfConnection = (tenant: string, connection: string): string =>
  `select ${tokenColumns} from connection_tokens where tenant_id = ${tenant} and connection_id = ${connection}`;

/** The lease is a new one, so that a commit whose answer was lost is not repeated. */
const newValues = `version = held.version + 1, key_id = $keyId, wrapped_key = $wrappedKey, ciphertext = $ciphertext,
      scope = $scope, issued_at = $issuedAt, expires_at = $expiresAt, client = $client, leases = held.leases + 1,
      leased_until = null, failed_at = null, failure_code = null, failed_client = null`;

export const storeTokens = namedStatement(
  "connection_token_store",
  `insert into connection_tokens as held
    (tenant_id, connection_id, key_id, wrapped_key, ciphertext, scope, issued_at, expires_at, client, version, leases)
  values ($tenant, $connection, $keyId, $wrappedKey, $ciphertext, $scope, $issuedAt, $expiresAt, $client, 1, 0)
  on conflict (tenant_id, connection_id) do update set ${newValues}`,
);

/** As `storeTokens`, for the holder whose lease has this number. */
export const storeLeased = namedStatement(
  "connection_token_refreshed",
  `update connection_tokens held set ${newValues}
    where tenant_id = $tenant and connection_id = $connection and leases = $lease returning expires_at`,
);

export const storeFailure = namedStatement(
  "connection_token_failed",
  `update connection_tokens set leased_until = null, failed_at = $failedAt, failure_code = $code, failed_client = $client
    where tenant_id = $tenant and connection_id = $connection and leases = $lease returning version`,
);

/** $3: the lease. */
export const releaseLease = `update connection_tokens set leased_until = null
  where tenant_id = $1 and connection_id = $2 and leases = $3`;

/** $2: the credential whose clients got the tokens. */
export const forgetTokensOfCredential =
  "delete from connection_tokens where tenant_id = $1 and client->>'credentialId' = $2";

export const forgetTokens = "delete from connection_tokens where tenant_id = $1 and connection_id = $2";
