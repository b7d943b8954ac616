import { randomBytes } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";
import { LockMode } from "@mikro-orm/postgresql";
import { lockHands } from "../access-control/active-principal-statement.js";
import { requireHeld } from "../access-control/held-scopes.js";
import type { RightsLost } from "../access-control/permission-loss.js";
import { disableClients } from "../oauth-clients/disable-clients.js";
import { clientsHeldOnlyBy, loadActiveClients } from "../oauth-clients/secret-holders.js";
import { recordRevocation } from "../revocations/record-revocation.js";
import { requireAnotherOwner } from "../roles/last-owner-statement.js";
import { RoleAssignment } from "../roles/role-assignment.entity.js";
import { removeRoles, withCodes } from "../roles/unassign-roles.js";
import { hashPassword } from "./password-hash.js";
import { User } from "./user.entity.js";
import { unknownUser } from "./user.service.js";
import { type UserState, userStates } from "./user.states.js";
import type { ClientsOfDeletedUser, DeletedUserType, UserType } from "./user.type.js";
import { orphanView, userFacts, userView } from "./user.view.js";

interface Move {
  userId: string;
  to: UserState;
  type: "UserDisabled" | "UserEnabled";
}

interface HeldRole {
  code: string;
  scopes: Scope[];
}

/** Moves users between their states. Who may invite people may do this, to those who may do no more than he. */
export class UserLifecycleService {
  readonly #database: Database;
  readonly #rightsLost: RightsLost;

  constructor(database: Database, rightsLost: RightsLost) {
    this.#database = database;
    this.#rightsLost = rightsLost;
  }

  disable(context: RequestContext, userId: string): Promise<UserType> {
    return this.#move(context, "disableUser", { userId, to: "Disabled", type: "UserDisabled" });
  }

  enable(context: RequestContext, userId: string): Promise<UserType> {
    return this.#move(context, "enableUser", { userId, to: "Active", type: "UserEnabled" });
  }

  /**
   * What is personal goes with it; the id stays, because others refer to it. Clients that only this user could act as
   * are disabled, unless the caller keeps them. Their secret then stays known to the deleted person alone.
   */
  delete(context: RequestContext, userId: string, clients: ClientsOfDeletedUser): Promise<DeletedUserType> {
    return mutate(this.#database, context, {
      field: "deleteUser",
      arguments: { userId, clients },
      // nobody knows the password that this is the hash of
      prepare: () => hashPassword(randomBytes(32).toString("base64url")),
      commit: async (transaction, unknownHash) => {
        await lockHands(transaction);
        const { user } = await moveUser(context, transaction, { userId, to: "Deleted" });
        await forget(transaction, user, unknownHash);
        await this.#takeAllRoles(context, transaction, userId);
        const orphans = await clientsHeldOnlyBy(transaction, userId);
        if (clients === "Disable") {
          const active = await loadActiveClients(transaction, orphans);
          requireHeld(
            context,
            active.flatMap(({ scopes }) => scopes),
            "clients hold whose secret only the user was told; clients: Keep leaves them as they are",
          );
          await disableClients(transaction, active);
        }
        const clientIds = orphans.map(({ clientId }) => clientId);
        await this.#rightsLost(transaction, [userId, ...clientIds]);
        transaction.record({
          type: "UserDeleted",
          subject: `users/${userId}`,
          data: { ...userFacts(user), clients, clientIds },
        });
        return Object.assign(userView(user, []), { clients: orphans.map((client) => orphanView(client, clients)) });
      },
    });
  }

  #move(context: RequestContext, field: string, { userId, to, type }: Move): Promise<UserType> {
    return mutate(this.#database, context, {
      field,
      arguments: { userId },
      commit: async (transaction) => {
        const { user, roles } = await moveUser(context, transaction, { userId, to });
        if (to === "Disabled") await this.#rightsLost(transaction, [userId]);
        transaction.record({ type, subject: `users/${userId}`, data: userFacts(user) });
        return userView(
          user,
          roles.map(({ code }) => code),
        );
      },
    });
  }

  async #takeAllRoles(context: RequestContext, transaction: Transaction, userId: string): Promise<void> {
    const { em, tenant } = transaction;
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const held = await em.find(RoleAssignment, { tenantId: tenant.tenantId, principalId: userId }, lock);
    await removeRoles(transaction, await withCodes(transaction, held), {
      unassignedBy: principalOf(context).subject,
      reason: "Requested",
    });
  }
}

async function moveUser(
  context: RequestContext,
  transaction: Transaction,
  { userId, to }: Pick<Move, "userId" | "to">,
): Promise<{ user: User; roles: HeldRole[] }> {
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
  if (to !== "Active") await recordRevocation(transaction, "Principal", userId);
  return { user, roles };
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
