import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { enumFilter } from "@factory/runtime/pagination/list-filters";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import type { Mailer } from "../../ground/mail/mailer.js";
import { principalsBehind } from "../../rights/access-control/holders-statement.js";
import { requireSignInForLastingRight } from "../../rights/access-control/lasting-right.js";
import { principalPermissions } from "../../rights/access-control/principal-permissions-statement.js";
import { findRoles, requireGrantable, requireRoles } from "../../rights/roles/assign-roles.js";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import type { TenantService } from "../../tenants/tenants/tenant.service.js";
import { isEmailTaken } from "../users/find-users.js";
import type { Seats } from "../users/seats.js";
import { requireAllowedDomain } from "./allowed-email-domains.js";
import { markExpired } from "./expire-invitation.js";
import { Invitation } from "./invitation.entity.js";
import type { InvitationFilterInput, InviteUserInput } from "./invitation.input.js";
import { type InvitationState, invitationStates } from "./invitation.states.js";
import type { InvitationConnection, InvitationType } from "./invitation.type.js";
import {
  type InvitationRow,
  invitationColumns,
  invitationRowView,
  invitationStatus,
  invitationView,
  stateOf,
} from "./invitation.view.js";
import type { InvitationIssuer } from "./invitation-issuer.js";
import { lockInvitations } from "./lock-invitations.js";
import { requireMailAllowed } from "./mail-throttle.js";
import { mayInvite } from "./may-invite.js";
import { revokeInvitation } from "./revoke-unauthorized-invitations.js";

const maxOpenInvitations = 100;

export const sortedInvitations = new SortedList<InvitationType, TenantStatement>({
  list: "invitations",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
    email: { column: "email_key", type: "text", of: ({ email }) => mailAddressKey(email) },
    expiresAt: { column: "expires_at", type: "timestamptz", of: ({ expiresAt }) => expiresAt },
  },
  id: { column: "invitation_id", type: "uuid", of: ({ invitationId }) => decodeId("inv", invitationId) ?? "" },
  byDefault: "createdAt",
  filters: { status: enumFilter(invitationStates, invitationStatus) },
  statement: (name, { filters, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${invitationColumns} from invitations
       where tenant_id = scope.tenant ${filters} ${after}
       order by ${order} limit ${limit}`,
    ),
});

const oneInvitation = keyStatement(
  "one_invitation",
  `select ${invitationColumns} from invitations where tenant_id = scope.tenant and invitation_id = $2`,
);

interface InvitationParts {
  readonly database: Database;
  readonly issuer: InvitationIssuer;
  readonly tenants: TenantService;
  readonly seats: Seats;
  readonly settings: TenantSettings;
  readonly cursors: CursorSeal;
  readonly mailer: Mailer;
  /** Multiplies the limit for mails to one address. */
  readonly rateLimitFactor?: number | undefined;
}

interface InvitationChange<Prepared> {
  readonly field: string;
  readonly invitationId: string;
  readonly prepare: () => Promise<Prepared>;
}

/** Sends, lists and revokes invitations for the users and clients that invite. */
export class InvitationService {
  readonly #parts: InvitationParts;

  constructor(parts: InvitationParts) {
    this.#parts = parts;
  }

  invite(context: RequestContext, input: InviteUserInput): Promise<InvitationType> {
    requireDistinct(input.roleCodes);
    const { subject: invitedBy } = principalOf(context);
    const { database, seats } = this.#parts;
    return idempotentMutation(database, context, {
      field: "inviteUser",
      arguments: { input },
      prepare: () => this.#rulesOf(context),
      commit: async (transaction, { allowedDomains, seatLimit }) => {
        requireAllowedDomain(input.email, allowedDomains, "/input/email");
        await this.#parts.tenants.requireActive(transaction);
        const roles = await requireRoles(transaction, input.roleCodes);
        requireGrantable(context, roles);
        await requireInvitable(transaction, mailAddressKey(input.email));
        await this.#requireMailAllowed(transaction, mailAddressKey(input.email));
        await requireCurrentPermissions(transaction, invitedBy, roles);
        await seats.requireFree(transaction, seatLimit);
        const invitation = await this.#parts.issuer.issue(transaction, {
          email: input.email,
          displayName: input.displayName ?? null,
          roleCodes: roles.map(({ code }) => code),
          invitedBy,
        });
        return invitationView(invitation);
      },
    });
  }

  /** Sends a new link to the same address. The caller must be allowed to invite to these roles, and becomes the inviter. */
  resend(context: RequestContext, invitationId: string): Promise<InvitationType> {
    const { seats } = this.#parts;
    const prepare = () => this.#rulesOf(context);
    const mutation = { field: "resendInvitation", invitationId, prepare };
    return this.#change(context, mutation, async (transaction, invitation, { allowedDomains, seatLimit }) => {
      requireAllowedDomain(invitation.email, allowedDomains);
      requireState(invitation, ["Pending", "Expired"]);
      const roles = await findRoles(transaction, invitation.roleCodes);
      requireGrantable(context, roles);
      await requireInvitable(transaction, invitation.emailKey, invitation);
      await this.#requireMailAllowed(transaction, invitation.emailKey);
      const { subject } = principalOf(context);
      await requireCurrentPermissions(transaction, subject, roles);
      if (stateOf(invitation) === "Expired") await seats.requireFree(transaction, seatLimit);
      invitation.invitedBy = subject;
      invitation.inviters = [...new Set([...invitation.inviters, ...(await principalsBehind(transaction, subject))])];
      await this.#parts.issuer.renew(transaction, invitation);
    });
  }

  #requireMailAllowed(transaction: Transaction, key: string): Promise<void> {
    const { mailer, rateLimitFactor: factor = 1 } = this.#parts;
    return requireMailAllowed(transaction, { mailer, factor, key });
  }

  /** The limits that the tenant and its edition set, read before the transaction. */
  async #rulesOf(context: RequestContext) {
    await requireSignInForLastingRight(this.#parts.database, context);
    const tenant = tenantOf(context);
    const { seats, settings } = this.#parts;
    return {
      seatLimit: await seats.limitOf(tenant),
      allowedDomains: await settings.get(tenant, "signIn.allowedEmailDomains"),
    };
  }

  revoke(context: RequestContext, invitationId: string): Promise<InvitationType> {
    const mutation = { field: "revokeInvitation", invitationId, prepare: async () => undefined };
    return this.#change(context, mutation, async (transaction, invitation) => {
      requireState(invitation, ["Pending"]);
      revokeInvitation(transaction, invitation, "Requested");
    });
  }

  /** Lets a Pending invitation expire now, before its time. */
  expire(context: RequestContext, invitationId: string): Promise<InvitationType> {
    const mutation = { field: "expireInvitation", invitationId, prepare: async () => undefined };
    return this.#change(context, mutation, async (transaction, invitation) => {
      // One whose time has come has the state Pending until its job has run.
      if (invitation.status !== "Pending") requireState(invitation, ["Pending"]);
      invitation.expiresAt = new Date(Math.min(invitation.expiresAt.getTime(), Date.now()));
      markExpired(transaction, invitation);
    });
  }

  async find(context: RequestContext, invitationId: string): Promise<InvitationType | undefined> {
    const uuid = decodeId("inv", invitationId);
    if (uuid === undefined) return undefined;
    const row = await this.#parts.database.reader.row<InvitationRow>(oneInvitation, tenantOf(context), uuid);
    return row && invitationRowView(row);
  }

  list(context: RequestContext, request: PageRequest<InvitationFilterInput>): Promise<InvitationConnection> {
    const { database, cursors } = this.#parts;
    const list = { reader: database.reader, cursors, tenant: tenantOf(context) };
    return readPage(sortedInvitations, list, request, invitationRowView);
  }

  #change<Prepared>(
    context: RequestContext,
    { field, invitationId, prepare }: InvitationChange<Prepared>,
    change: (transaction: Transaction, invitation: Invitation, prepared: Prepared) => Promise<void>,
  ): Promise<InvitationType> {
    return idempotentMutation(this.#parts.database, context, {
      field,
      arguments: { invitationId },
      prepare,
      commit: async (transaction, preparation) => {
        await this.#parts.tenants.requireActive(transaction);
        // before the lock on the row, as everywhere else, to prevent deadlocks
        await lockInvitations(transaction);
        const invitation = await lockedInvitation(transaction, invitationId);
        await change(transaction, invitation, preparation);
        return invitationView(invitation);
      },
    });
  }
}

async function lockedInvitation({ em, tenant }: Transaction, invitationId: string): Promise<Invitation> {
  const { tenantId } = tenant;
  const invitation =
    decodeId("inv", invitationId) === undefined
      ? null
      : await em.findOne(Invitation, { tenantId, invitationId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!invitation) throw new DomainError("NOT_FOUND", { detail: "The invitation does not exist in this tenant." });
  return invitation;
}

function requireState(invitation: Invitation, allowedStates: readonly InvitationState[]): void {
  const currentState = stateOf(invitation);
  if (!allowedStates.includes(currentState))
    throw new DomainError("INVALID_STATE", {
      detail: `The invitation is ${currentState}. This operation needs one that is ${allowedStates.join(" or ")}.`,
      currentState,
      allowed: allowedStates,
    });
}

/** The caller may have lost permissions since the token was issued. A loss at this moment waits for `lockInvitations`. */
async function requireCurrentPermissions(
  transaction: Transaction,
  invitedBy: string,
  roles: readonly { readonly scopes: readonly string[] }[],
): Promise<void> {
  const permissions = (await principalPermissions(transaction, [invitedBy])).get(invitedBy);
  if (mayInvite(permissions, roles)) return;
  throw new DomainError("TOKEN_INVALID", {
    detail: "The access token is not valid: its subject has lost permissions since it was issued. Get a new token.",
  });
}

/**
 * Throws USER_EXISTS, INVITATION_PENDING or CONFLICT (limit) unless the address can be invited. An expired invitation to
 * the address is stored as Expired. `renewedInvitation` is the one that is sent again.
 */
async function requireInvitable(transaction: Transaction, key: string, renewedInvitation?: Invitation): Promise<void> {
  const { em, tenant } = transaction;
  const { tenantId } = tenant;
  await lockInvitations(transaction);
  const pending = await em.findOne(Invitation, { tenantId, emailKey: key, status: "Pending" });
  if (pending && pending !== renewedInvitation) {
    if (stateOf(pending) === "Pending")
      throw new DomainError("INVITATION_PENDING", {
        detail: "The address already has an open invitation. Send that invitation again, or revoke it first.",
        invitationId: pending.invitationId,
      });
    markExpired(transaction, pending);
    await em.flush();
  }
  if (await isEmailTaken(transaction, key))
    throw new DomainError("USER_EXISTS", { detail: "A user of the tenant already has this e-mail address." });
  const open = await em.count(Invitation, { tenantId, status: "Pending", expiresAt: { $gt: new Date() } });
  if (open >= maxOpenInvitations && (!renewedInvitation || stateOf(renewedInvitation) !== "Pending"))
    throw new DomainError("CONFLICT", {
      detail: `A tenant can have at most ${maxOpenInvitations} open invitations. Revoke some of them first.`,
      limit: maxOpenInvitations,
    });
}

function requireDistinct(roleCodes: readonly string[]): void {
  const seenCodes = new Set<string>();
  const errors: FieldError[] = [];
  roleCodes.forEach((code, at) => {
    if (seenCodes.has(code.toLowerCase()))
      errors.push({
        pointer: `/input/roleCodes/${at}`,
        code: "DUPLICATE",
        detail: "This role is already in the list.",
      });
    seenCodes.add(code.toLowerCase());
  });
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The input names a role more than once. Name each role once.",
      errors,
    });
}
