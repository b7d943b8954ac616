import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { erasureContinues } from "../record/notification-erasure.entity.js";

interface EraseNotificationsPayload {
  tenantId: string;
  userId: string;
}

/** The job that erases one page of a deleted person's notifications. */
export const eraseNotificationsJob: JobDefinition<EraseNotificationsPayload> = {
  queue: "erase-notifications",
  retryLimit: 5,
  retryDelaySeconds: 10,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
  fair: true,
  subject: "userId",
};

/** Erasures that have not ended; one without a job gets its job again. */
export const openErasures: WaitingRows<EraseNotificationsPayload> = {
  slice: "notification erasures",
  job: eraseNotificationsJob,
  table: "notification_erasures",
  id: "user_id",
  prefix: "usr",
  waiting: erasureContinues,
  since: "requested_at",
  payload: ({ tenantId, id }) => ({ tenantId, userId: id }),
};
