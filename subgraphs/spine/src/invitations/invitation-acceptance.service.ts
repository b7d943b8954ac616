import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { grantRoles } from "../roles/assign-roles.js";
import { Role } from "../roles/role.entity.js";
import type { TenantService } from "../tenants/tenant.service.js";
import { hashPassword, PasswordsBusyError } from "../users/password-hash.js";
import { requireUncommonPassword } from "../users/password-rules.js";
import { User } from "../users/user.entity.js";
import type { UserType } from "../users/user.type.js";
import { userFacts, userView } from "../users/user.view.js";
import { Invitation } from "./invitation.entity.js";
import type { AcceptInvitationInput } from "./invitation.input.js";
import type { InvitationState } from "./invitation.states.js";
import { invitationFacts, stateOf } from "./invitation.view.js";
import { tokenDigest } from "./invitation-token.js";

interface FoundInvitation {
  tenant_id: string;
  invitation_id: string;
  email: string;
  display_name: string | null;
  status: InvitationState;
  expires_at: Date;
  organisation: string;
}

/** What whoever holds the link may see before accepting. */
export interface OpenInvitation {
  readonly organisation: string;
  readonly email: string;
  readonly displayName: string | null;
}

/** Of whoever holds the link: nobody has signed in, and the tenant is known by the token alone. */
export class InvitationAcceptance {
  readonly #database: Database;
  /** Connects as the worker role, which sees invitations before a tenant is known. */
  readonly #pool: Pool;
  readonly #tenants: TenantService;

  constructor(database: Database, pool: Pool, tenants: TenantService) {
    this.#database = database;
    this.#pool = pool;
    this.#tenants = tenants;
  }

  async accept(context: Pick<RequestContext, "trace">, input: AcceptInvitationInput): Promise<UserType> {
    const digest = tokenDigest(input.token);
    const found = await this.#open(digest);
    requireUncommonPassword(input.password, found.email, "/input/password");
    const passwordHash = await hashed(input.password);
    const userId = newId("usr");
    const cause = { trace: context.trace, actorId: userId };
    const tenant = tenantWithId(encodeId("ten", found.tenant_id));
    try {
      return await this.#database.transaction(tenant, cause, async (transaction) => {
        await this.#tenants.requireActive(transaction);
        const invitation = await lockedInvitation(transaction, encodeId("inv", found.invitation_id), digest);
        return register(transaction, invitation, {
          userId,
          passwordHash,
          displayName: input.displayName ?? invitation.displayName,
        });
      });
    } catch (error) {
      if (violatedUnique(error) === "users_email")
        throw new DomainError("USER_EXISTS", { detail: "The address belongs to a user already." });
      throw error;
    }
  }

  async look(token: string): Promise<OpenInvitation> {
    const { organisation, email, display_name: displayName } = await this.#open(tokenDigest(token));
    return { organisation, email, displayName };
  }

  /** One look-up by digest, whatever the token is: how long it takes tells nothing of the tokens there are. */
  async #open(digest: string): Promise<FoundInvitation> {
    const { rows } = await this.#pool.query<FoundInvitation>({
      name: "invitation_of_token",
      text: `select tenant_id, invitation_id, email, display_name, invitations.status, expires_at, name as organisation
        from invitations join tenants using (tenant_id) where token_digest = $1`,
      values: [digest],
    });
    const [found] = rows;
    if (!found) throw unknownToken();
    requireOpen(stateOf({ status: found.status, expiresAt: found.expires_at }));
    return found;
  }
}

/** As it is now that it is ours: it may have been resent, revoked or accepted meanwhile. */
async function lockedInvitation({ em, tenant }: Transaction, invitationId: string, digest: string) {
  const { tenantId } = tenant;
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const invitation = await em.findOne(Invitation, { tenantId, invitationId }, lock);
  if (!invitation || invitation.tokenDigest !== digest) throw unknownToken();
  requireOpen(stateOf(invitation));
  return invitation;
}

async function register(
  transaction: Transaction,
  invitation: Invitation,
  person: Pick<User, "userId" | "passwordHash" | "displayName">,
): Promise<UserType> {
  const { em, record } = transaction;
  const { tenantId, invitationId, email, emailKey, invitedBy } = invitation;
  const now = new Date();
  const user = em.create(User, {
    ...person,
    tenantId,
    email,
    emailKey,
    status: "Active",
    lastLoginAt: null,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(user);
  // what was deleted since the invitation is not missed; what was made since, of the same code, was not meant
  const meant = { tenantId, code: { $in: invitation.roleCodes }, createdAt: { $lte: invitation.updatedAt } };
  const roles = await em.find(Role, meant, { orderBy: { code: "asc" } });
  const roleCodes = roles.map(({ code }) => code);
  Object.assign(invitation, { status: "Accepted", userId: user.userId, updatedAt: now });
  record({
    type: "InvitationAccepted",
    subject: `invitations/${invitationId}`,
    data: { ...invitationFacts(invitation), userId: user.userId },
  });
  record({
    type: "UserRegistered",
    subject: `users/${user.userId}`,
    data: { ...userFacts(user), invitationId, roleCodes },
  });
  grantRoles(transaction, roles, { principalId: user.userId, assignedBy: invitedBy });
  return userView(user, roleCodes);
}

function requireOpen(currentState: InvitationState): void {
  if (currentState === "Expired")
    throw new DomainError("INVITATION_EXPIRED", { detail: "The invitation has expired; ask for another one." });
  if (currentState !== "Pending")
    throw new DomainError("INVALID_STATE", {
      detail: `The invitation is ${currentState}.`,
      currentState,
      allowed: ["Pending"],
    });
}

function unknownToken(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "There is no such invitation." });
}

async function hashed(password: string): Promise<string> {
  try {
    return await hashPassword(password);
  } catch (error) {
    if (error instanceof PasswordsBusyError)
      throw new DomainError("UNAVAILABLE", { detail: "Too many passwords are being set.", retryAfterSeconds: 1 });
    throw error;
  }
}
