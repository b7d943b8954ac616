import { randomBytes } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { recordRevocation } from "../../ground/revocations/record-revocation.js";
import { disableClients, enableClientsOf } from "../../oauth-clients/disable-clients.js";
import { clientsHeldOnlyBy, loadActiveClients } from "../../oauth-clients/secret-holders.js";
import { lockSecretHolders } from "../../rights/access-control/active-principal-statement.js";
import { requireHeldScopes } from "../../rights/access-control/held-scopes.js";
import { requireSignInForLastingRight } from "../../rights/access-control/lasting-right.js";
import type { PermissionLossHandler } from "../../rights/access-control/permission-loss.js";
import { effectiveAccessIn } from "../../rights/roles/effective-access.js";
import { requireAnotherOwner } from "../../rights/roles/last-owner-statement.js";
import { unassignAllRoles } from "../../rights/roles/unassign-roles.js";
import { lockUser } from "./find-users.js";
import { hashPassword } from "./password-hash.js";
import type { PersonalDataEraser } from "./personal-data.js";
import type { Seats } from "./seats.js";
import type { User } from "./user.entity.js";
import { type UserState, userStates } from "./user.states.js";
import type { ClientsOfDeletedUser, DeletedUserType, UserType } from "./user.type.js";
import { deletedUserClientView, userFacts, userView } from "./user.view.js";

interface Transition {
  readonly userId: string;
  readonly to: UserState;
}

interface UserLifecycleParts {
  readonly database: Database;
  readonly seats: Seats;
  readonly onPermissionLoss: PermissionLossHandler;
  readonly erasePersonalData: PersonalDataEraser;
}

/**
 * Moves users between their states. The scope is `user.invite`, and the caller's token must hold every scope that the
 * user's roles give.
 */
export class UserLifecycleService {
  readonly #parts: UserLifecycleParts;

  constructor(parts: UserLifecycleParts) {
    this.#parts = parts;
  }

  /**
   * Clients whose secret only this user knows are disabled until the user is enabled again, unless the caller keeps them;
   * a kept client can still be used by the disabled person.
   */
  disable(context: RequestContext, userId: string, clients: ClientsOfDeletedUser): Promise<UserType> {
    const { database, onPermissionLoss } = this.#parts;
    return idempotentMutation(database, context, {
      field: "disableUser",
      arguments: { userId, clients },
      commit: async (transaction) => {
        await lockSecretHolders(transaction);
        const { user, roleCodes } = await moveUser(context, transaction, { userId, to: "Disabled" });
        const heldClients = clients === "Disable" ? await clientsHeldOnlyBy(transaction, userId) : [];
        const active = await loadActiveClients(transaction, heldClients);
        requireScopesOfClients(context, active);
        await disableClients(transaction, active, userId);
        await recordRevocation(transaction, "Principal", userId);
        const clientIds = active.map(({ clientId }) => clientId);
        await onPermissionLoss(transaction, [userId, ...clientIds]);
        const data = { ...userFacts(user), clients, clientIds };
        transaction.record({ type: "UserDisabled", subject: `users/${userId}`, data });
        return userView(user, roleCodes);
      },
    });
  }

  /** Also enables the clients that were disabled together with the user. */
  enable(context: RequestContext, userId: string): Promise<UserType> {
    const { database, seats } = this.#parts;
    return idempotentMutation(database, context, {
      field: "enableUser",
      arguments: { userId },
      prepare: async () => {
        await requireSignInForLastingRight(database, context);
        return seats.limitOf(tenantOf(context));
      },
      commit: async (transaction, seatLimit) => {
        const { user, roleCodes } = await moveUser(context, transaction, { userId, to: "Active" });
        // the user is not stored as active yet, so it does not count itself
        await seats.requireFree(transaction, seatLimit);
        await enableClientsOf(transaction, userId);
        transaction.record({ type: "UserEnabled", subject: `users/${userId}`, data: userFacts(user) });
        return userView(user, roleCodes);
      },
    });
  }

  /**
   * Erases the personal data and keeps the id, because other rows refer to it. Clients whose secret only this user knows
   * are disabled, unless the caller keeps them; a kept client can still be used by the deleted person.
   */
  delete(context: RequestContext, userId: string, clients: ClientsOfDeletedUser): Promise<DeletedUserType> {
    const { database, onPermissionLoss } = this.#parts;
    return idempotentMutation(database, context, {
      field: "deleteUser",
      arguments: { userId, clients },
      // a random password's hash; the password is not stored
      prepare: () => hashPassword(randomBytes(32).toString("base64url")),
      commit: async (transaction, unknownHash) => {
        await lockSecretHolders(transaction);
        const { user } = await moveUser(context, transaction, { userId, to: "Deleted" });
        await this.#erase(transaction, user, unknownHash);
        await unassignAllRoles(transaction, userId, principalOf(context).subject);
        const heldClients = await clientsHeldOnlyBy(transaction, userId);
        if (clients === "Disable") {
          const active = await loadActiveClients(transaction, heldClients);
          requireScopesOfClients(context, active);
          await disableClients(transaction, active);
        }
        await recordRevocation(transaction, "Principal", userId);
        const clientIds = heldClients.map(({ clientId }) => clientId);
        await onPermissionLoss(transaction, [userId, ...clientIds]);
        transaction.record({
          type: "UserDeleted",
          subject: `users/${userId}`,
          data: { ...userFacts(user), clients, clientIds },
        });
        const views = heldClients.map((client) => deletedUserClientView(client, clients));
        return Object.assign(userView(user, []), { clients: views });
      },
    });
  }

  async #erase(transaction: Transaction, user: User, passwordHash: string): Promise<void> {
    // RFC 2606: no mail server has a name under .invalid
    const email = `${user.userId}@deleted.invalid`;
    const { userId, email: formerEmail } = user;
    Object.assign(user, {
      email,
      emailKey: email,
      verifiedEmailKey: null,
      displayName: null,
      passwordHash,
      lastLoginAt: null,
    });
    await this.#parts.erasePersonalData(transaction, { userId, formerEmail, replacementEmail: email });
  }
}

function requireScopesOfClients(
  context: RequestContext,
  clients: readonly { readonly scopes: readonly string[] }[],
): void {
  requireHeldScopes(
    context,
    clients.flatMap(({ scopes }) => scopes),
    "Clients whose secret only this user knows hold these scopes. Use clients: Keep to leave the clients unchanged.",
  );
}

async function moveUser(
  context: RequestContext,
  transaction: Transaction,
  { userId, to }: Transition,
): Promise<{ user: User; roleCodes: readonly string[] }> {
  const user = await lockUser(transaction, userId);
  if (to !== "Active" && principalOf(context).subject === userId)
    throw new DomainError("CONFLICT", {
      detail: "Users cannot disable or delete themselves. Ask another user of the tenant to do it.",
    });
  requireTransition(user, to);
  const { roles, scopes } = await effectiveAccessIn(transaction, userId);
  requireHeldScopes(
    context,
    [...scopes],
    "A caller can disable, enable or delete only a user whose scopes its own token holds.",
  );
  if (user.status === "Active") await requireAnotherOwner(transaction, userId);
  const { signInVersion } = user;
  Object.assign(user, {
    status: to,
    updatedAt: new Date(),
    signInVersion: to === "Active" ? signInVersion : signInVersion + 1,
  });
  return { user, roleCodes: roles };
}

function requireTransition({ status }: User, to: UserState): void {
  const next: readonly UserState[] = userStates[status].next;
  if (next.includes(to)) return;
  const allowedStates = Object.entries(userStates).flatMap(([state, { next: onward }]) =>
    (onward as readonly UserState[]).includes(to) ? [state] : [],
  );
  throw new DomainError("INVALID_STATE", {
    detail: `The user is ${status}. A user can become ${to} only from ${allowedStates.join(" or ")}.`,
    currentState: status,
    allowed: allowedStates,
  });
}
