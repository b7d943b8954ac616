import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { broadcastContinues } from "../record/notification.states.js";

interface ContinueBroadcastPayload {
  tenantId: string;
  messageId: string;
}

/** The job that reaches a broadcast's next 10,000 recipients. */
export const continueBroadcastJob: JobDefinition<ContinueBroadcastPayload> = {
  queue: "continue-broadcast",
  retryLimit: 5,
  retryDelaySeconds: 10,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
  fair: true,
  subject: "messageId",
};

/** Broadcasts that are not complete; one without a job gets its job again. */
export const openBroadcasts: WaitingRows<ContinueBroadcastPayload> = {
  slice: "notification broadcasts",
  job: continueBroadcastJob,
  table: "notification_messages",
  id: "message_id",
  prefix: "ntm",
  waiting: broadcastContinues,
  since: "created_at",
  payload: ({ tenantId, id }) => ({ tenantId, messageId: id }),
};
