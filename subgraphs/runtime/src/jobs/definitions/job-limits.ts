/** Time limits and intervals for a process that runs jobs. Tests shorten them. */
export interface JobLimits {
  /**
   * The interval between two polls for jobs that arrive without a wake-up: retries, delayed jobs and jobs from other
   * processes.
   */
  readonly lookMs: number;
  /** The interval between two lease renewals. */
  readonly beatMs: number;
  /**
   * A process must have reached the database without a gap for this time before it may declare another process dead.
   */
  readonly steadyMs: number;
  /**
   * The delay before a job runs again that lost the database or could not use files. It must not be 0, which means a
   * planned stop.
   */
  readonly outageDelaySeconds: number;
  /** At a stop: the time for running jobs to end by themselves, and the time after they were told to end. */
  readonly graceMs: number;
  readonly abortMs: number;
}

/** The limits in operation. */
export const defaultJobLimits: JobLimits = {
  lookMs: 2000,
  beatMs: 5000,
  steadyMs: 25_000,
  outageDelaySeconds: 1,
  graceMs: 2000,
  abortMs: 1000,
};
