import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";

/** The person whose codes are to be locked. */
export interface CloseLockPayload {
  tenantId: string;
  userId: string;
}

/** A code is checked well within this time. */
export const closeLockAfterMs = 60_000;

/**
 * The job that closes a lock which the process with the last wrong code did not close before it ended. It is sent with the
 * count of that code.
 */
export const closeLockJob: JobDefinition<CloseLockPayload> = {
  queue: "close-factor-lock",
  retryLimit: 5,
  retryDelaySeconds: 10,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
};
