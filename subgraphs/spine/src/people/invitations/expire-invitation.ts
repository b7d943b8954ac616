import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Invitation } from "./invitation.entity.js";
import { invitationFacts, stateOf } from "./invitation.view.js";

interface ExpireInvitationPayload {
  tenantId: string;
  invitationId: string;
}

/** The job runs when the invitation expires. If the invitation was sent again since, the job changes nothing. */
export const expireInvitationJob: JobDefinition<ExpireInvitationPayload> = {
  queue: "expire-invitation",
  retryLimit: 5,
  retryDelaySeconds: 30,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
  subject: "invitationId",
};

/** Pending invitations after their expiry; one without a job gets its job again. Only the job records the event. */
export const expiredPendingInvitations: WaitingRows<ExpireInvitationPayload> = {
  slice: "invitations",
  job: expireInvitationJob,
  table: "invitations",
  id: "invitation_id",
  prefix: "inv",
  waiting: "status = 'Pending' and expires_at < now()",
  since: "expires_at",
  payload: ({ tenantId, id }) => ({ tenantId, invitationId: id }),
};

/** Stores the state Expired and records InvitationExpired if the invitation is Pending and has expired. */
export async function expireInvitation(
  database: Database,
  { tenantId, invitationId }: ExpireInvitationPayload,
): Promise<void> {
  const cause = { trace: continueTrace(undefined), actorId: "system" };
  await database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const invitation = await transaction.em.findOne(Invitation, { tenantId, invitationId }, lock);
    if (invitation?.status === "Pending" && stateOf(invitation) === "Expired") markExpired(transaction, invitation);
  });
}

/** Stores the state Expired and records InvitationExpired. */
export function markExpired({ record }: Pick<Transaction, "record">, invitation: Invitation): void {
  invitation.status = "Expired";
  invitation.updatedAt = new Date();
  record({
    type: "InvitationExpired",
    subject: `invitations/${invitation.invitationId}`,
    data: invitationFacts(invitation),
  });
}
