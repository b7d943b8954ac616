/** The times of a job queue; tests of what happens after them shorten them. */
export interface JobLimits {
  /** Between two looks for jobs that come without a wake-up: retries, delayed jobs, those of other processes. */
  readonly lookMs: number;
  /** Between two renewals of the process's lease. */
  readonly beatMs: number;
  /** Who has not reached the database for so long itself cannot tell a dead process from a database that was away. */
  readonly steadyMs: number;
  /** Before a job is taken up again that lost the database; not 0, which means a planned stop. */
  readonly databaseLostDelaySeconds: number;
  /** How long a stop lets running jobs end by themselves, and then those that were told to. */
  readonly graceMs: number;
  readonly abortMs: number;
}

export const defaultJobLimits: JobLimits = {
  lookMs: 2000,
  beatMs: 5000,
  steadyMs: 25_000,
  databaseLostDelaySeconds: 1,
  graceMs: 2000,
  abortMs: 1000,
};
