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

/** Waits until the invitation's end; of one that was resent meanwhile it finds that it has not come yet. */
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

/** Readers see by themselves that an invitation has expired; the event is sent by the job alone. */
export const invitationsPastTheirEnd: WaitingRows<ExpireInvitationPayload> = {
  slice: "invitations",
  job: expireInvitationJob,
  table: "invitations",
  id: "invitation_id",
  prefix: "inv",
  waiting: "status = 'Pending' and expires_at < now()",
  since: "expires_at",
  payload: ({ tenantId, id }) => ({ tenantId, invitationId: id }),
};

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

export function markExpired({ record }: Pick<Transaction, "record">, invitation: Invitation): void {
  invitation.status = "Expired";
  invitation.updatedAt = new Date();
  record({
    type: "InvitationExpired",
    subject: `invitations/${invitation.invitationId}`,
    data: invitationFacts(invitation),
  });
}
