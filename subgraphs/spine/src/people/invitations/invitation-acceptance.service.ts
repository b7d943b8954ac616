import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { mailAddress, mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Cause } from "@factory/runtime/messages/envelope";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { assignRoles, findRoles } from "../../rights/roles/assign-roles.js";
import type { OwnerArrivals } from "../../rights/roles/owners.js";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import type { TenantService } from "../../tenants/tenants/tenant.service.js";
import { recordOrigin } from "../user-origins/user-origins.js";
import { createUser } from "../users/create-user.js";
import { newPasswordHash } from "../users/new-password.js";
import type { Seats } from "../users/seats.js";
import type { UserType } from "../users/user.type.js";
import { userFacts, userView } from "../users/user.view.js";
import { requireAllowedDomain } from "./allowed-email-domains.js";
import { Invitation } from "./invitation.entity.js";
import type { AcceptInvitationInput } from "./invitation.input.js";
import type { InvitationState } from "./invitation.states.js";
import { invitationFacts, readInvitation, stateOf } from "./invitation.view.js";
import { tokenDigest } from "./invitation-token.js";
import { type InvitationByTokenRow, invitationByToken } from "./open-invitation-statement.js";

/** The facts that the link's holder sees before accepting. */
export interface OpenInvitation {
  readonly organisation: string;
  readonly email: string;
  readonly displayName: string | null;
  /** The password's smallest number of characters. */
  readonly passwordMinLength: number;
}

interface AcceptanceParts {
  readonly database: Database;
  /** Connects as the worker role, which sees invitations before the tenant is known. */
  readonly pool: Pool;
  readonly tenants: TenantService;
  readonly seats: Seats;
  readonly settings: TenantSettings;
  readonly arrivals: OwnerArrivals;
}

/** Accepts invitations for the link's holder, who is not signed in. Only the link's token tells the tenant. */
export class InvitationAcceptance {
  readonly #parts: AcceptanceParts;

  constructor(parts: AcceptanceParts) {
    this.#parts = parts;
  }

  async accept({ trace, origin }: Pick<Cause, "trace" | "origin">, input: AcceptInvitationInput): Promise<UserType> {
    const digest = tokenDigest(input.token);
    const openInvitation = await this.#open(digest);
    const tenant = tenantWithId(openInvitation.tenantId);
    const { database, tenants, seats, settings, arrivals } = this.#parts;
    requireAllowedDomain(openInvitation.email, await settings.get(tenant, "signIn.allowedEmailDomains"));
    const passwordHash = await newPasswordHash({
      password: input.password,
      email: openInvitation.email,
      minLength: await this.#minLength(tenant),
      pointer: "/input/password",
    });
    const userId = newId("usr");
    const cause = { trace, origin, actorId: userId };
    const seatLimit = await seats.limitOf(tenant);
    try {
      return await database.transaction(tenant, cause, async (transaction) => {
        await tenants.requireActive(transaction);
        transaction.audit({ operation: "acceptInvitation", principaltype: "User" });
        const invitation = await lockedInvitation(transaction, openInvitation.invitationId, digest);
        await seats.requireFreeForInvited(transaction, seatLimit);
        const displayName = input.displayName ?? invitation.displayName;
        return register(transaction, invitation, { userId, passwordHash, displayName, arrivals });
      });
    } catch (error) {
      if (violatedUnique(error) === "users_email")
        throw new DomainError("USER_EXISTS", {
          detail: "A user of the tenant already has this e-mail address. Sign in with it instead.",
        });
      throw error;
    }
  }

  /** Throws as `accept` does when the token cannot be used any more. */
  async look(token: string): Promise<OpenInvitation> {
    const openInvitation = await this.#open(tokenDigest(token));
    const { organisation, email, displayName } = openInvitation;
    const passwordMinLength = await this.#minLength(tenantWithId(openInvitation.tenantId));
    return { organisation, email, displayName, passwordMinLength };
  }

  #minLength(tenant: Tenant): Promise<number> {
    return this.#parts.settings.get(tenant, "signIn.passwordMinLength");
  }

  async #open(digest: string) {
    const { rows } = await this.#parts.pool.query<InvitationByTokenRow>({ ...invitationByToken, values: [digest] });
    const [row] = rows;
    if (!row) throw unknownToken();
    const invitation = readInvitation(row);
    requireOpen(stateOf(invitation));
    return { ...invitation, organisation: row.organisation };
  }
}

/** Locks the invitation and checks it again: it may have been sent again, revoked or accepted since it was read. */
async function lockedInvitation({ em, tenant }: Transaction, invitationId: string, digest: string) {
  const { tenantId } = tenant;
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const invitation = await em.findOne(Invitation, { tenantId, invitationId }, lock);
  if (!invitation || invitation.tokenDigest !== digest) throw unknownToken();
  requireOpen(stateOf(invitation));
  return invitation;
}

interface NewPerson {
  readonly userId: string;
  readonly passwordHash: string;
  readonly displayName: string | null;
}

async function register(
  transaction: Transaction,
  invitation: Invitation,
  { arrivals, ...person }: NewPerson & Pick<AcceptanceParts, "arrivals">,
): Promise<UserType> {
  const { record } = transaction;
  const { invitationId, invitedBy, inviters, updatedAt } = invitation;
  // an invitation that equalled another one when addresses got their form has its former one
  const email = mailAddress(invitation.email) ?? invitation.email;
  const emailKey = mailAddressKey(email);
  const user = createUser(transaction, { ...person, email, emailKey, verifiedEmailKey: emailKey });
  // a role that was created after the invitation is not what the inviter meant, even if it has a deleted role's code
  const roles = await findRoles(transaction, invitation.roleCodes, { createdUntil: updatedAt });
  const roleCodes = roles.map(({ code }) => code);
  Object.assign(invitation, { status: "Accepted", userId: user.userId, updatedAt: user.createdAt });
  recordOrigin(transaction, { userId: user.userId, invitedBy: inviters, joinedAt: user.createdAt });
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
  assignRoles(transaction, roles, { principalId: user.userId, assignedBy: invitedBy });
  await arrivals.tell(transaction, roles, user.userId);
  return userView(user, roleCodes);
}

function requireOpen(currentState: InvitationState): void {
  if (currentState === "Expired")
    throw new DomainError("INVITATION_EXPIRED", {
      detail: "The invitation has expired. Ask the person who invited you to send it again.",
    });
  if (currentState !== "Pending")
    throw new DomainError("INVALID_STATE", {
      detail: `The invitation is ${currentState}. Only a Pending invitation can be accepted.`,
      currentState,
      allowed: ["Pending"],
    });
}

function unknownToken(): DomainError {
  return new DomainError("NOT_FOUND", {
    detail: "The token does not belong to an invitation. A newer invitation may have replaced it.",
  });
}
