import { newId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Mailer } from "../../ground/mail/mailer.js";
import { principalsBehind } from "../../rights/access-control/holders-statement.js";
import { expireInvitationJob } from "./expire-invitation.js";
import { Invitation } from "./invitation.entity.js";
import { invitationFacts } from "./invitation.view.js";
import { invitationMailKind } from "./invitation-mail.js";
import { tokenDigest } from "./invitation-token.js";

const lifetimeMs = 7 * 24 * 3_600_000;

interface NewInvitation {
  readonly email: string;
  readonly displayName: string | null;
  readonly roleCodes: readonly string[];
  /** `usr_…`, `cli_…` or `platform`. */
  readonly invitedBy: string;
}

/** Creates invitations and their links, without a permission check. */
export class InvitationIssuer {
  readonly #tokens: DerivedSecrets;
  readonly #mailer: Mailer;
  readonly #jobs: JobQueue;

  constructor(tokens: DerivedSecrets, mailer: Mailer, jobs: JobQueue) {
    this.#tokens = tokens;
    this.#mailer = mailer;
    this.#jobs = jobs;
  }

  async issue(
    transaction: Transaction,
    { email, displayName, roleCodes, invitedBy }: NewInvitation,
  ): Promise<Invitation> {
    const { em, tenant } = transaction;
    const invitationId = newId("inv");
    const now = new Date();
    const invitation = em.create(Invitation, {
      tenantId: tenant.tenantId,
      invitationId,
      email,
      emailKey: mailAddressKey(email),
      displayName,
      roleCodes: [...roleCodes],
      invitedBy,
      inviters: await principalsBehind(transaction, invitedBy),
      userId: null,
      createdAt: now,
      ...this.#openState(invitationId, now),
    });
    em.persist(invitation);
    await this.#send(transaction, invitation, "UserInvited");
    return invitation;
  }

  /** Gives the invitation a new link and a new expiry. The former link stops working. */
  async renew(transaction: Transaction, invitation: Invitation): Promise<void> {
    Object.assign(invitation, this.#openState(invitation.invitationId, new Date()));
    await this.#send(transaction, invitation, "InvitationResent");
  }

  #openState(invitationId: string, now: Date) {
    const tokenNonce = this.#tokens.newNonce();
    return {
      status: "Pending" as const,
      tokenNonce,
      tokenDigest: tokenDigest(this.#tokens.derive(invitationId, tokenNonce)),
      expiresAt: new Date(now.getTime() + lifetimeMs),
      updatedAt: now,
    };
  }

  async #send(
    transaction: Transaction,
    invitation: Invitation,
    type: "UserInvited" | "InvitationResent",
  ): Promise<void> {
    const { tenantId, invitationId, expiresAt } = invitation;
    transaction.record({ type, subject: `invitations/${invitationId}`, data: invitationFacts(invitation) });
    await this.#mailer.queue(transaction, invitationMailKind, invitationId);
    await this.#jobs.send(transaction, expireInvitationJob, { tenantId, invitationId }, { startAfter: expiresAt });
  }
}
