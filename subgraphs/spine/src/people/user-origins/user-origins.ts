import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { lockUser } from "../users/find-users.js";
import { newAccountDays } from "./new-account.js";
import { UserOrigin } from "./user-origin.entity.js";

/** Stores who invited a user that joins now. `invitedBy` has `usr_…`, `cli_…` or `platform`. */
export function recordOrigin(
  { em, tenant: { tenantId } }: Transaction,
  { userId, invitedBy, joinedAt }: { userId: string; invitedBy: readonly string[]; joinedAt: Date },
): void {
  const noConfirmation = { confirmedBy: null, confirmedAt: null };
  em.persist(
    em.create(UserOrigin, { tenantId, principal: userId, invitedBy: [...invitedBy], joinedAt, ...noConfirmation }),
  );
}

/** A confirmation that a new user is another person than those who invited it. */
interface ConfirmedOrigin {
  readonly userId: string;
  readonly confirmedBy: string;
  readonly confirmedAt: Date;
}

/** A new user's row, locked. Throws NOT_FOUND, and INVALID_STATE for a user who is not new. */
async function lockOrigin(transaction: Transaction, userId: string): Promise<UserOrigin> {
  await lockUser(transaction, userId);
  const { em, tenant } = transaction;
  const key = { tenantId: tenant.tenantId, principal: userId };
  const origin = await em.findOne(UserOrigin, key, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (origin && origin.joinedAt.getTime() > Date.now() - newAccountDays * 24 * 60 * 60_000) return origin;
  throw new DomainError("INVALID_STATE", {
    detail: `The user joined more than ${newAccountDays} days ago, and needs no confirmation.`,
    currentState: "Known",
    allowed: ["New"],
  });
}

/** Throws as `confirmOrigin`, and changes nothing. */
export async function requireNewUser(transaction: Transaction, userId: string): Promise<void> {
  await lockOrigin(transaction, userId);
}

/**
 * Confirms a new user, unless somebody did before. `isFirst` tells which. Throws NOT_FOUND, and INVALID_STATE for a user
 * who is not new.
 */
export async function confirmOrigin(
  transaction: Transaction,
  userId: string,
  by: string,
): Promise<ConfirmedOrigin & { isFirst: boolean }> {
  const origin = await lockOrigin(transaction, userId);
  const isFirst = origin.confirmedAt === null;
  const { confirmedBy, confirmedAt } = {
    confirmedBy: origin.confirmedBy ?? by,
    confirmedAt: origin.confirmedAt ?? new Date(),
  };
  Object.assign(origin, { confirmedBy, confirmedAt });
  return { userId, confirmedBy, confirmedAt, isFirst };
}
