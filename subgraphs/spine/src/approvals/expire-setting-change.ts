import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Approval } from "./approval.entity.js";
import { settingChangeFacts } from "./approval.events.js";
import { stateAt } from "./approval.view.js";

interface ExpireSettingChangePayload {
  tenantId: string;
  approvalId: string;
}

/** The job runs when the time to decide ends. If the change was decided or withdrawn before, the job changes nothing. */
export const expireSettingChangeJob: JobDefinition<ExpireSettingChangePayload> = {
  queue: "expire-setting-change",
  retryLimit: 5,
  retryDelaySeconds: 30,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
  subject: "approvalId",
};

/** Pending changes after their time to decide; one without a job gets its job again. Only the job records the event. */
export const undecidedSettingChanges: WaitingRows<ExpireSettingChangePayload> = {
  slice: "approvals",
  job: expireSettingChangeJob,
  table: "approvals",
  id: "approval_id",
  prefix: "apr",
  waiting: "setting is not null and status = 'Pending' and valid_until < now()",
  since: "valid_until",
  payload: ({ tenantId, id }) => ({ tenantId, approvalId: id }),
};

/** Stores the state Expired and records SettingChangeExpired if nobody has decided in time. */
export async function expireSettingChange(
  database: Database,
  { tenantId, approvalId }: ExpireSettingChangePayload,
): Promise<void> {
  const cause = { trace: continueTrace(undefined), actorId: "system" };
  await database.transaction(tenantWithId(tenantId), cause, async ({ em, audit, record }) => {
    const approval = await em.findOne(Approval, { tenantId, approvalId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (approval?.status !== "Pending" || stateAt(approval, new Date()) !== "Expired") return;
    audit({ operation: "expireSettingChange", subject: `approvals/${approvalId}` });
    approval.status = "Expired";
    const subject = `approvals/${approvalId}`;
    record({ type: "SettingChangeExpired", subject, data: settingChangeFacts(approval) });
  });
}
