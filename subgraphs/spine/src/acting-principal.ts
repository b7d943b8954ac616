import type { Transaction } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";

/**
 * Refuses a caller who was deleted or disabled after the token was verified. A deletion that begins later waits for this
 * transaction, and so finds what it gave away.
 */
export async function requireActing({ execute, tenant }: Transaction, principalId: string): Promise<void> {
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
