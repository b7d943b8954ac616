import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: users, api_clients

/**
 * The status for a user (`usr_…`) or client (`cli_…`) in the tenant, whose row is share-locked until the transaction
 * ends; undefined for a principal from another tenant, for example a platform administrator.
 */
export async function lockPrincipalStatus(
  { execute, tenant }: Transaction,
  principalId: string,
): Promise<string | undefined> {
  const userId = decodeId("usr", principalId);
  const [principal] = await execute<{ status: string }>(
    userId === undefined
      ? "select status from api_clients where tenant_id = $1 and client_id = $2 for share"
      : "select status from users where tenant_id = $1 and user_id = $2 for share",
    [tenant.uuid, userId ?? principalId],
  );
  return principal?.status;
}

/**
 * Throws TOKEN_INVALID when the caller was deleted or disabled after the token was verified. Call it before the
 * transaction locks any row. Deleting the caller waits for this transaction and then sees what it changed; if rows were
 * locked first, a caller who renews secrets continuously could prevent the deletion by deadlocks.
 */
export async function requireActivePrincipal(transaction: Transaction, principalId: string): Promise<void> {
  await transaction.defer("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [
    hashedLocks.actingPrincipals(transaction.tenant.tenantId),
  ]);
  const status = await lockPrincipalStatus(transaction, principalId);
  if (status !== undefined && status !== "Active")
    throw new DomainError("TOKEN_INVALID", { detail: "The access token is not valid: its subject is not active." });
}

/** Until the transaction ends, no principal in the tenant receives a client secret or installs a key. */
export async function lockSecretHolders(transaction: Transaction): Promise<void> {
  await transaction.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    hashedLocks.actingPrincipals(transaction.tenant.tenantId),
  ]);
}
