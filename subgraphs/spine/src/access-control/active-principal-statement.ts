import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * Refuses a caller who was deleted or disabled after the token was verified. A deletion that begins later waits for this
 * transaction, and so finds what it gave away. It waits before any row is locked, so this comes before the first row too:
 * otherwise a user who renews secrets all the time fends off the own deletion by deadlocks.
 */
export async function requireActing(transaction: Transaction, principalId: string): Promise<void> {
  const { execute, later, tenant } = transaction;
  await later("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [
    hashedLocks.actingPrincipals(transaction.tenant.tenantId),
  ]);
  const userId = decodeId("usr", principalId);
  const [found] = await execute<{ status: string }>(
    userId === undefined
      ? "select status from api_clients where tenant_id = $1 and client_id = $2 for share"
      : "select status from users where tenant_id = $1 and user_id = $2 for share",
    [tenant.uuid, userId ?? principalId],
  );
  // a principal of another tenant, such as a platform administrator, is not seen here
  if (found && found.status !== "Active")
    throw new DomainError("TOKEN_INVALID", { detail: "The access token is not valid: its subject is not active." });
}

/** Nobody of the tenant is told a secret, or installs a key, until the transaction ends. */
export async function lockHands(transaction: Transaction): Promise<void> {
  await transaction.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    hashedLocks.actingPrincipals(transaction.tenant.tenantId),
  ]);
}
