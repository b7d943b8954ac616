import { randomBytes } from "node:crypto";
import type { Database, Transaction } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";
import { LockMode } from "@mikro-orm/postgresql";
import { requireHeld } from "../held-scopes.js";
import { revoke } from "../revocations/revoke.js";
import { requireAnotherOwner } from "../roles/last-owner.js";
import { RoleAssignment } from "../roles/role-assignment.entity.js";
import { takeRoles, withCodes } from "../roles/take-roles.js";
import { hashPassword } from "./password-hash.js";
import { User } from "./user.entity.js";
import { unknownUser } from "./user.service.js";
import { type UserState, userStates } from "./user.states.js";
import type { UserType } from "./user.type.js";
import { userFacts, userView } from "./user.view.js";

interface Move {
  userId: string;
  to: UserState;
  type: "UserDisabled" | "UserEnabled" | "UserDeleted";
}

interface HeldRole {
  code: string;
  scopes: Scope[];
}

/** Moves users between their states. Who may invite people may do this, to those who may do no more than he. */
export class UserLifecycleService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  disable(context: RequestContext, userId: string): Promise<UserType> {
    return this.#move(context, "disableUser", { userId, to: "Disabled", type: "UserDisabled" });
  }

  enable(context: RequestContext, userId: string): Promise<UserType> {
    return this.#move(context, "enableUser", { userId, to: "Active", type: "UserEnabled" });
  }

  /** What is personal goes with it; the id stays, because others refer to it. */
  delete(context: RequestContext, userId: string): Promise<UserType> {
    return this.#move(context, "deleteUser", { userId, to: "Deleted", type: "UserDeleted" });
  }

  #move(context: RequestContext, field: string, { userId, to, type }: Move): Promise<UserType> {
    return mutate(this.#database, context, {
      field,
      arguments: { userId },
      // nobody knows the password that this is the hash of
      prepare: async () => (to === "Deleted" ? hashPassword(randomBytes(32).toString("base64url")) : undefined),
      commit: async (transaction, unknownHash) => {
        const user = await lockedUser(transaction, userId);
        if (to !== "Active" && principalOf(context).subject === userId)
          throw new DomainError("CONFLICT", { detail: "Nobody does this to himself: ask somebody else." });
        requireMove(user, to);
        const roles = await heldRoles(transaction, userId);
        const scopes = roles.flatMap((role) => role.scopes);
        requireHeld(context, scopes, "the user does");
        if (user.status === "Active") await requireAnotherOwner(transaction, userId);
        const now = new Date();
        Object.assign(user, { status: to, updatedAt: now, ...(to === "Active" ? {} : { tokensFrom: now }) });
        if (unknownHash !== undefined) {
          await forget(transaction, user, unknownHash);
          const { em, tenant } = transaction;
          const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
          const held = await em.find(RoleAssignment, { tenantId: tenant.tenantId, principalId: userId }, lock);
          await takeRoles(transaction, await withCodes(transaction, held), {
            unassignedBy: principalOf(context).subject,
            reason: "Requested",
          });
        }
        if (to !== "Active") await revoke(transaction, "Principal", userId);
        transaction.record({ type, subject: `users/${userId}`, data: userFacts(user) });
        return userView(user, to === "Deleted" ? [] : roles.map(({ code }) => code));
      },
    });
  }
}

async function lockedUser({ em, tenant }: Transaction, userId: string): Promise<User> {
  const { tenantId } = tenant;
  const found =
    decodeId("usr", userId) === undefined
      ? null
      : await em.findOne(User, { tenantId, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!found) throw unknownUser();
  return found;
}

function requireMove({ status }: User, to: UserState): void {
  const next: readonly UserState[] = userStates[status].next;
  if (next.includes(to)) return;
  const allowed = Object.entries(userStates).flatMap(([state, { next: onward }]) =>
    (onward as readonly UserState[]).includes(to) ? [state] : [],
  );
  throw new DomainError("INVALID_STATE", { detail: `The user is ${status}.`, currentState: status, allowed });
}

function heldRoles({ execute, tenant }: Transaction, userId: string): Promise<HeldRole[]> {
  return execute<HeldRole>(
    `select code, scopes from role_assignments join roles using (tenant_id, role_id)
     where tenant_id = $1 and principal_id = $2 and (expires_at is null or expires_at > now()) order by code`,
    [tenant.uuid, userId],
  );
}

async function forget({ execute, tenant }: Transaction, user: User, passwordHash: string): Promise<void> {
  const nobody = `${user.userId}@deleted.invalid`;
  Object.assign(user, { email: nobody, emailKey: nobody, displayName: null, passwordHash, lastLoginAt: null });
  await execute(
    "update invitations set email = $3, email_key = $3, display_name = null where tenant_id = $1 and user_id = $2",
    [tenant.uuid, decodeId("usr", user.userId), nobody],
  );
}
