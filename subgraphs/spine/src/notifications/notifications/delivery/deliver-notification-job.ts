import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import type { DeliveryLane } from "../record/delivery-lane.js";
import { queuedCondition } from "../record/notification.states.js";

interface DeliverNotificationPayload {
  tenantId: string;
  notificationId: string;
}

type DeliveryJob = JobDefinition<DeliverNotificationPayload>;

const attempts = {
  retryLimit: 2,
  retryDelaySeconds: 20,
  retryBackoff: true,
  expireInSeconds: 120,
  concurrency: 4,
  concurrencyPerTenant: 2,
  fair: true,
  subject: "notificationId",
  notRedrivable: "A notification that is Failed is not sent again. Send a new one.",
} as const;

/** The job that delivers one notification. After the third failure the notification is Failed. */
export const deliverNotificationJob: DeliveryJob = { queue: "deliver-notification", ...attempts };

/** Each lane's job. A delivery begins in the lane Common. */
export const deliveryJobs: Readonly<Record<DeliveryLane, DeliveryJob>> = {
  Common: deliverNotificationJob,
  Mail: { queue: "deliver-mail", ...attempts },
};

/** Queued notifications that are due; one without a job gets its job again. */
export const queuedNotifications: readonly WaitingRows<DeliverNotificationPayload>[] = [
  waitingIn("Common", "notifications"),
  waitingIn("Mail", "mails of notifications"),
];

function waitingIn(lane: DeliveryLane, slice: string): WaitingRows<DeliverNotificationPayload> {
  return {
    slice,
    job: deliveryJobs[lane],
    table: "notifications",
    id: "notification_id",
    prefix: "ntf",
    waiting: `${queuedCondition} and lane = '${lane}'`,
    since: "due_at",
    bySince: true,
    payload: ({ tenantId, id }) => ({ tenantId, notificationId: id }),
  };
}
