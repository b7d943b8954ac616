import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { User } from "./user.entity.js";

/** The tenant's user, the row locked until the transaction ends. Throws NOT_FOUND. */
export async function lockUser({ em, tenant: { tenantId } }: Transaction, userId: string): Promise<User> {
  const user =
    decodeId("usr", userId) === undefined
      ? null
      : await em.findOne(User, { tenantId, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user) throw unknownUser();
  return user;
}

/** Whether a user in the tenant who is not deleted has this address; `key` as `mailAddressKey` makes it. */
export async function isEmailTaken({ em, tenant: { tenantId } }: Transaction, key: string): Promise<boolean> {
  return (await em.count(User, { tenantId, emailKey: key, status: { $ne: "Deleted" } })) > 0;
}

/** NOT_FOUND, the same for an unknown id and for another tenant's user. */
export function unknownUser(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "The user does not exist in this tenant." });
}
