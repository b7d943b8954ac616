import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { tenantLimits } from "@factory/schema/tenant-limits";
import { executionWaits } from "./execution.states.js";

/** The payload for the job that runs an execution. */
export interface ExecutionPayload {
  tenantId: string;
  executionId: string;
  /** The tenant's limit when it asked for the execution, if it differs from the default. */
  runningLimit?: number;
}

/** The job that runs an execution, three times at most. A run whose process dies does not count; the job runs again. */
export const executionJob: JobDefinition<ExecutionPayload> = {
  queue: "execution",
  retryLimit: 2,
  retryDelaySeconds: 1,
  expireInSeconds: 600,
  concurrency: 8,
  concurrencyPerTenant: tenantLimits.maxRunningExecutions.default,
  limitInPayload: true,
  fair: true,
  subject: "executionId",
  retriedBy: "retryExecution",
};

/** The executions that only a job ends, for the sweep that finds those without a job. */
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
