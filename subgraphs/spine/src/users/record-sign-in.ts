import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** The operation of sign-ins in the audit log, whether by the sign-in page or by the password grant. */
export const signInOperation = "signIn";

const storeSignIn = {
  name: "user_signed_in",
  text: "update users set last_login_at = now() where tenant_id = $1 and user_id = $2",
};

/** Stores the time of a user's latest sign-in, and its audit record. */
export async function recordSignIn(
  { defer, audit, tenant }: Pick<Transaction, "defer" | "audit" | "tenant">,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<void> {
  await defer(storeSignIn, [tenant.uuid, decodeId("usr", userId)]);
  const person = { principal: userId, principaltype: "User", clientid: clientId } as const;
  audit({ operation: signInOperation, subject: `users/${userId}`, ...person });
}
