import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { recordRevocation } from "../../ground/revocations/record-revocation.js";
import type { User } from "./user.entity.js";

/**
 * Gives a user, whose row the transaction has locked, a new password, and records PasswordChanged. All the user's
 * sessions and tokens end.
 */
export async function replacePassword(
  transaction: Transaction,
  user: User,
  { passwordHash, proof }: { passwordHash: string; proof: "CurrentPassword" | "MailLink" },
): Promise<void> {
  const { tenantId, userId } = user;
  Object.assign(user, { passwordHash, signInVersion: user.signInVersion + 1, updatedAt: new Date() });
  await recordRevocation(transaction, "Principal", userId);
  transaction.record({ type: "PasswordChanged", subject: `users/${userId}`, data: { tenantId, userId, proof } });
}
