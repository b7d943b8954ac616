import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { User } from "./user.entity.js";

type NewUser = Pick<User, "userId" | "email" | "emailKey" | "verifiedEmailKey" | "displayName" | "passwordHash">;

/** An active user in the transaction's tenant. The caller records UserRegistered with what it knows besides. */
export function createUser({ em, tenant: { tenantId } }: Transaction, facts: NewUser): User {
  const now = new Date();
  const user = em.create(User, {
    ...facts,
    tenantId,
    status: "Active",
    signInVersion: 0,
    lastLoginAt: null,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(user);
  return user;
}
