import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { deliverNotificationJob } from "./deliver-notification-job.js";
import { release } from "./delivery-statement.js";

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
  const releasedRows = await execute(release, values);
  if (releasedRows.length === 0) return;
  const payload = { tenantId: tenant.tenantId, notificationId };
  await jobs.send(transaction, deliverNotificationJob, payload, { startAfter });
}
