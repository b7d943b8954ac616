import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { executionWaits } from "./execution.states.js";

export interface ExecutionPayload {
  tenantId: string;
  executionId: string;
}

/** Three tries. A process that dies is none: what it ran is taken up again by the next. */
export const executionJob: JobDefinition<ExecutionPayload> = {
  queue: "execution",
  retryLimit: 2,
  retryDelaySeconds: 1,
  expireInSeconds: 600,
  concurrency: 8,
  concurrencyPerTenant: 5,
  fair: true,
  subject: "executionId",
  retriedBy: "retryExecution",
};

export const waitingExecutions: WaitingRows<ExecutionPayload> = {
  slice: "executions",
  job: executionJob,
  table: "executions",
  id: "execution_id",
  prefix: "exe",
  waiting: executionWaits,
  since: "requested_at",
  payload: ({ tenantId, id }) => ({ tenantId, executionId: id }),
};
