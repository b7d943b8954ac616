import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** The audit log's operation for sign-ins, whether by the sign-in page or by the password grant. */
export const signInOperation = "signIn";

const storeSignIn = {
  name: "user_signed_in",
  text: `update users set last_login_at = now() where tenant_id = $1 and user_id = $2
      and sign_in_version = $3
    returning user_id`,
};

/** A sign-in with a right password or passkey. `signInVersion` was read before that check. */
interface ProvenSignIn {
  readonly userId: string;
  readonly signInVersion: number;
  readonly clientId: string;
}

/**
 * Stores the time of a user's latest sign-in, and its audit record. False: the user has got a new password or was
 * disabled since the proofs were checked. The lock on the row puts such a change before this or after it.
 */
export async function recordSignIn(
  { execute, audit, tenant }: Pick<Transaction, "execute" | "audit" | "tenant">,
  { userId, signInVersion, clientId }: ProvenSignIn,
): Promise<boolean> {
  const storedRows = await execute(storeSignIn, [tenant.uuid, decodeId("usr", userId), signInVersion]);
  if (storedRows.length === 0) return false;
  const person = { principal: userId, principaltype: "User", clientid: clientId } as const;
  audit({ operation: signInOperation, subject: `users/${userId}`, ...person });
  return true;
}
