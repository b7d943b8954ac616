import type { JobDefinition } from "../definitions/job-definition.js";

/** An attempt's number, from 1. An interruption adds a retry to the job, so it does not count as an attempt. */
export function attemptOf(
  job: JobDefinition<object>,
  { retryCount, retryLimit }: { retryCount: number; retryLimit: number },
) {
  const interruptions = Math.max(0, retryLimit - job.retryLimit);
  return { attempt: retryCount + 1 - interruptions, lastAttempt: retryCount >= retryLimit };
}
