import type { Transaction } from "../../unit-of-work/database.js";

/** One kind of background work. The payload holds ids, never a row and never a secret. */
export interface JobDefinition<Payload extends object> {
  readonly queue: string;
  /** Tries after the first one. An interruption is none: see `job-runs.ts`. */
  readonly retryLimit: number;
  readonly retryDelaySeconds: number;
  /** Doubles the delay with each try. */
  readonly retryBackoff?: true;
  readonly expireInSeconds: number;
  /** Jobs at once in this process. */
  readonly concurrency: number;
  /** Jobs of one tenant at once, in all processes together; the payload's `tenantId` is the group. */
  readonly concurrencyPerTenant: number;
  /** Tenants take turns, each in its own order; without it jobs are taken in the order they were sent. */
  readonly fair?: true;
  /** The member of the payload that names the row whose state only this job ends. */
  readonly subject?: string;
  /** The operation that tries again what a dead job has ended. Without it, the dead job itself is sent again. */
  readonly retriedBy?: string;
  readonly payload?: Payload;
}

export interface TenantPayload {
  tenantId: string;
}

export interface JobAttempt {
  /** From 1. Interruptions are not counted. */
  readonly attempt: number;
  readonly lastAttempt: boolean;
  /** Aborted when the job expires, when another process has taken it over and when this process stops. */
  readonly signal: AbortSignal;
}

export type JobHandler<Payload extends object> = (payload: Payload, attempt: JobAttempt) => Promise<void>;

/** Two ways to run the same job. */
export interface JobHandlers<Payload extends object> {
  readonly here: JobHandler<Payload>;
  /** For a job that has interrupted its process before and needs longer than a run alone may take. */
  readonly inChild: JobHandler<Payload>;
}

export interface SendOptions {
  startAfter?: Date;
}

/** Why a job will not be tried again. */
export interface JobEnd {
  /** Of `schema/error-codes.ts`, as far as the failure had one. */
  readonly code: string | undefined;
  readonly message: string;
}

/** How the row that a job works for ends when the job has used up its chances. */
export interface JobOwner<Payload extends object> {
  /** Moves the row to its final state and records the event, in one transaction. A row that has ended is left alone. */
  abandoned(payload: Payload, end: JobEnd): Promise<void>;
  /** The opposite, when a dead job is sent again: the row waits for the job once more. */
  revived?(transaction: Transaction, payload: Payload): Promise<void>;
}

/** No row waits for this work: a dead job is sent again after a pause, for as long as it takes. */
export const maintenance = "maintenance";

export type DeadLetterRule<Payload extends object> = JobOwner<Payload> | typeof maintenance;

export const deadQueue = (queue: string): string => `${queue}.dead`;
/** Where jobs wait that have interrupted their process too often to run beside others. */
export const aloneQueue = (queue: string): string => `${queue}.alone`;
export const baseQueue = (queue: string): string => queue.replace(/\.(dead|alone)$/, "");

/** What a dead letter says about its end: an error as pg-boss wrote it down. */
export function jobEnd(output: unknown): JobEnd {
  const written = (output ?? {}) as { code?: unknown; message?: unknown; value?: { message?: unknown } };
  const { code, message = written.value?.message } = written;
  const text = typeof message === "string" ? message.slice(0, 500) : "The job failed.";
  // the two ways in which pg-boss says it
  if (text === "job timed out" || text.startsWith("handler execution exceeded"))
    return { code: "RUN_TOO_LONG", message: "The job took longer than it may." };
  return { code: typeof code === "string" ? code : undefined, message: text };
}
