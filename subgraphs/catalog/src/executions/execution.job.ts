import type { JobDefinition } from "@factory/runtime/jobs/job-queue";

export interface ExecutionPayload {
  tenantId: string;
  executionId: string;
}

/** Three tries; a worker that dies is replaced after its heartbeat has been missed for 20 s. */
export const executionJob: JobDefinition<ExecutionPayload> = {
  queue: "execution",
  retryLimit: 2,
  retryDelaySeconds: 1,
  expireInSeconds: 600,
  concurrency: 8,
  concurrencyPerTenant: 5,
  fair: true,
};
