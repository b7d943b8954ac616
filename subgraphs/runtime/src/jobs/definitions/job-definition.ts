import type { Transaction } from "../../unit-of-work/database.js";

/** Defines a kind of job. Its payload contains IDs, never rows and never secrets. */
export interface JobDefinition<Payload extends object> {
  readonly queue: string;
  /** How many attempts may follow the first one. An interruption does not count as an attempt (see `job-runs.ts`). */
  readonly retryLimit: number;
  readonly retryDelaySeconds: number;
  /** Whether the delay doubles with each attempt. */
  readonly retryBackoff?: true;
  readonly expireInSeconds: number;
  /** So many jobs run at once in this process. */
  readonly concurrency: number;
  /** So many jobs for one tenant run at once in all processes. The payload's `tenantId` is the group. */
  readonly concurrencyPerTenant: number;
  /** Whether `runningLimit` in a payload replaces `concurrencyPerTenant` for that job. */
  readonly limitInPayload?: true;
  /** Whether tenants take turns. Otherwise jobs run in the order in which they were sent. */
  readonly fair?: true;
  /** The payload member with the ID of the row whose state only this job ends. */
  readonly subject?: string;
  /**
   * The operation that repeats a failed job's work when its row has ended. Absent: the failed job itself can be sent
   * again.
   */
  readonly retriedBy?: string;
  /**
   * Why a failed job is never sent again, where no single operation repeats its work. The caller who tries reads it.
   */
  readonly notRedrivable?: string;
  readonly payload?: Payload;
}

/** Whether such a job can be sent again when it has failed. */
export const mayRunAgain = ({ retriedBy, notRedrivable }: JobDefinition<object>): boolean =>
  retriedBy === undefined && notRedrivable === undefined;

/** The payload for a tenant's job. */
export interface TenantPayload {
  tenantId: string;
  /** With `limitInPayload`: the job starts only while fewer of the tenant's jobs run; from 1 to `maxRunningLimit`. */
  runningLimit?: number;
}

/** The highest `runningLimit`. */
export const maxRunningLimit = 100;

/** One attempt to run a job. */
export interface JobAttempt {
  /** The attempt's number, from 1. Interruptions do not count. */
  readonly attempt: number;
  readonly lastAttempt: boolean;
  /** Is aborted when the job expires, when another process has taken it over, and when this process stops. */
  readonly signal: AbortSignal;
}

/** Runs a job. It may run more than once, so its effects must be idempotent. */
export type JobHandler<Payload extends object> = (payload: Payload, attempt: JobAttempt) => Promise<void>;

/** Two ways to run the same job: in this process, or in a child process. */
export interface JobHandlers<Payload extends object> {
  readonly here: JobHandler<Payload>;
  /**
   * Runs a job in a child process, after it has interrupted its process before and takes longer than a run alone may
   * take.
   */
  readonly inChild: JobHandler<Payload>;
}

/** Options for sending a job. */
export interface SendOptions {
  startAfter?: Date;
}

/** The reason why a job is not tried again. */
export interface JobEnd {
  /** The error code, if the failure was a refusal with a code. */
  readonly code: string | undefined;
  readonly message: string;
}

/** Ends a job's row when the job has used up its attempts. */
export interface JobOwner<Payload extends object> {
  /**
   * Moves the row to its final state and records the event in one transaction. It must not change a row that has ended.
   */
  abandoned(payload: Payload, end: JobEnd): Promise<void>;
  /** Puts the row back into the state in which it waits for the job, when a failed job is sent again. */
  revived?(transaction: Transaction, payload: Payload): Promise<void>;
}

/** The rule for jobs for which no row waits: a failed job is sent again after a pause, without limit. */
export const maintenance = "maintenance";

/** The rule for a job that has used up its attempts: an owner that ends its row, or `maintenance`. */
export type DeadLetterRule<Payload extends object> = JobOwner<Payload> | typeof maintenance;

/** The name of a queue's dead-letter queue. */
export const deadQueue = (queue: string): string => `${queue}.dead`;
/** The queue for jobs that must run alone, because they have interrupted their process too often. */
export const aloneQueue = (queue: string): string => `${queue}.alone`;
/** The queue to which a dead-letter queue or a queue for runs alone belongs. */
export const baseQueue = (queue: string): string => queue.replace(/\.(dead|alone)$/, "");

/** How a job ends that ran for longer than its queue allows. */
export const runTooLong = { code: "RUN_TOO_LONG", message: "The job took longer than it may." };

/** Reads a failure's reason from the output that pg-boss stored. */
export function jobEnd(output: unknown): JobEnd {
  const storedOutput = (output ?? {}) as { code?: unknown; message?: unknown; value?: { message?: unknown } };
  const { code, message = storedOutput.value?.message } = storedOutput;
  const text = typeof message === "string" ? message.slice(0, 500) : "The job failed.";
  // The two texts by which pg-boss reports a time-out.
  if (text === "job timed out" || text.startsWith("handler execution exceeded")) return runTooLong;
  return { code: typeof code === "string" ? code : undefined, message: text };
}
