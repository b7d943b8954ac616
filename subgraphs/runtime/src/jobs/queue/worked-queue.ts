import type { DeadLetterRule, JobDefinition, JobHandler, TenantPayload } from "../definitions/job-definition.js";

/** Runs one job from a queue. */
export type QueueHandler = JobHandler<TenantPayload>;

/** A queue whose jobs this process runs, with the rule for jobs that have used up their attempts. */
export interface WorkedQueue {
  readonly job: JobDefinition<TenantPayload>;
  readonly handle: QueueHandler;
  /** Runs a job alone in a child process. */
  readonly inChild: QueueHandler | undefined;
  readonly dead: DeadLetterRule<TenantPayload>;
}
