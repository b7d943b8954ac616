import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { deliverNotificationJob } from "./deliver-notification-job.js";

/** $1: tenant, $2: notification, $3: time. */
const release = {
  name: "notification_release",
  text: `update notifications set handle = null, due_at = $3, lane = 'Common'
    where tenant_id = $1 and notification_id = $2 and status = 'Queued' and handle is not null
    returning notification_id`,
};

/**
 * Delivers a Queued notification anew, whose handover had no effect: the driver is called without a handle. A second call
 * for the same handle changes nothing.
 */
export async function deliverAgain(
  transaction: Transaction,
  jobs: JobQueue,
  notificationId: string,
  startAfter: Date,
): Promise<void> {
  const { execute, tenant } = transaction;
  const values = [tenant.uuid, decodeId("ntf", notificationId), startAfter.toISOString()];
  const released = await execute(release, values);
  if (released.length === 0) return;
  const payload = { tenantId: tenant.tenantId, notificationId };
  await jobs.send(transaction, deliverNotificationJob, payload, { startAfter });
}
