import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { queuedCondition } from "../record/notification.states.js";

interface DeliverNotificationPayload {
  tenantId: string;
  notificationId: string;
}

/** The job that delivers one notification. After the third failure the notification is Failed. */
export const deliverNotificationJob: JobDefinition<DeliverNotificationPayload> = {
  queue: "deliver-notification",
  retryLimit: 2,
  retryDelaySeconds: 20,
  retryBackoff: true,
  expireInSeconds: 120,
  concurrency: 4,
  concurrencyPerTenant: 2,
  fair: true,
  subject: "notificationId",
  notRedrivable: "A notification that is Failed is not sent again. Send a new one.",
};

/** Queued notifications that are due; one without a job gets its job again. */
export const queuedNotifications: WaitingRows<DeliverNotificationPayload> = {
  slice: "notifications",
  job: deliverNotificationJob,
  table: "notifications",
  id: "notification_id",
  prefix: "ntf",
  waiting: queuedCondition,
  since: "due_at",
  bySince: true,
  payload: ({ tenantId, id }) => ({ tenantId, notificationId: id }),
};
