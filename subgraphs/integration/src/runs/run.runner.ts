import { DomainError } from "@factory/runtime/errors/domain-error";
import { isOutage } from "@factory/runtime/errors/unavailable";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { JobAttempt, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import { RunLost, withCancellation } from "@factory/runtime/runs/run-lost";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { readRun } from "./read-run.js";
import { RunClaim } from "./run-claim.js";
import type { RunCounts } from "./run-counts.js";
import { type RunPayload, runJob } from "./run-job.js";
import { settleRun } from "./run-moves.js";
import {
  AwaitedOutcome,
  isRetryable,
  type RunEnd,
  type RunHandler,
  type RunOperations,
  RunPause,
  runErrorOf,
} from "./run-operations.js";
import { type RunRecord, runTable } from "./run-record.js";

interface RunnerServices {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly operations: RunOperations;
  readonly watch: StepWatch;
  readonly counts: RunCounts;
  readonly logger: Logger;
}

/** The longest pause that a vendor's Retry-After may demand before the next attempt. */
const longestPauseSeconds = 3600;

/** Makes one attempt at a run, and ends the run or plans its next attempt. */
export class RunRunner {
  readonly #services: RunnerServices;

  constructor(services: RunnerServices) {
    this.#services = services;
  }

  async run({ tenantId, runId, attempt }: RunPayload, { signal }: JobAttempt): Promise<void> {
    const { database, operations, watch } = this.#services;
    const storedRun = await readRun(database.reader, tenantWithId(tenantId), runId);
    if (!storedRun) return;
    const handler = operations.get(storedRun.operation);
    await withCancellation(watch, runTable.uuid(runId), async (cancelSignal) => {
      const limits = { attempt, timeLimitSeconds: handler.timeLimitSeconds };
      const claim = await RunClaim.take(database, storedRun, limits);
      failpoint("run.claimed");
      if (claim) await this.#attempt(claim, handler, { stopped: signal, cancelled: cancelSignal });
    });
  }

  async #attempt(
    claim: RunClaim,
    handler: RunHandler,
    { stopped, cancelled }: { stopped: AbortSignal; cancelled: AbortSignal },
  ): Promise<void> {
    const { run, cause } = claim;
    const deadline = AbortSignal.timeout(handler.timeLimitSeconds * 1000);
    const signal = AbortSignal.any([stopped, cancelled, deadline]);
    let end: RunEnd | AwaitedOutcome;
    try {
      const work = handler.work(run, { number: run.attempts, signal, cause });
      const result = await untilAborted(work, signal);
      if (result instanceof RunPause) return await this.#pause(claim, result);
      end = result instanceof AwaitedOutcome ? result : { status: "Completed", result };
      failpoint("run.worked");
    } catch (error) {
      if (cancelled.aborted || error instanceof RunLost) return;
      // The process stops, or database or files are away: the same attempt starts again.
      if (stopped.aborted || isOutage(error)) throw error;
      const failure = deadline.aborted ? timedOut(handler) : await this.#failure(claim, handler, error);
      if (!failure) return;
      end = failure;
    }
    if (end instanceof AwaitedOutcome) await this.#wait(claim, handler, end);
    else await this.#end(claim, handler, end);
  }

  async #end(claim: RunClaim, handler: RunHandler, end: RunEnd): Promise<void> {
    await claim.end(end, async (transaction, endedRun) => handler.ended?.(transaction, endedRun, end));
    this.#services.counts.add(claim.run.operation, end.status);
    failpoint("run.ended");
  }

  /** Plans the attempt that asks for the outcome, or ends the run where it is known already. */
  async #wait(claim: RunClaim, handler: RunHandler, { seconds, facts }: AwaitedOutcome): Promise<void> {
    const { jobs, counts } = this.#services;
    const { tenantId, runId, operation, attempts } = claim.run;
    const startAfter = new Date(Date.now() + seconds * 1000);
    await claim.wait(startAfter, handler.delaysSeconds.length + 1, async (transaction, waiting) => {
      const end = await handler.waits?.(transaction, waiting, facts);
      if (end) await settleRun(transaction, handler, runId, end);
      else await jobs.send(transaction, runJob, { tenantId, runId, attempt: attempts + 1 }, { startAfter });
      transaction.afterCommit(() => counts.add(operation, end?.status ?? "RetryScheduled"));
    });
    failpoint("run.waits");
  }

  /** Sends the job with which the same attempt goes on. */
  async #pause(claim: RunClaim, { seconds }: RunPause): Promise<void> {
    const { tenantId, runId, attempts: attempt } = claim.run;
    const startAfter = new Date(Date.now() + seconds * 1000);
    await claim.pause(startAfter, (transaction) =>
      this.#services.jobs.send(transaction, runJob, { tenantId, runId, attempt }, { startAfter }),
    );
    failpoint("run.paused");
  }

  /** Plans another attempt, or returns the run's end. */
  async #failure(claim: RunClaim, handler: RunHandler, error: unknown): Promise<RunEnd | undefined> {
    const { jobs, logger } = this.#services;
    const { tenantId, runId, operation, attempts } = claim.run;
    const reason = runErrorOf(error);
    if (!(error instanceof DomainError)) logger.error({ err: error, runId, operation }, "a run failed unexpectedly");
    const delay = delayAfter(claim.run, handler);
    const again = handler.retryable?.(error) ?? isRetryable(error);
    if (delay === undefined || !again)
      return { status: reason.code === "RUN_TOO_LONG" ? "TimedOut" : "Failed", ...reason };
    const startAfter = new Date(Date.now() + Math.max(delay, retryAfterOf(error)) * 1000);
    await claim.retry(reason, startAfter, async (transaction, plannedRun) => {
      await jobs.send(transaction, runJob, { tenantId, runId, attempt: attempts + 1 }, { startAfter });
      await handler.attemptFailed?.(transaction, plannedRun, reason);
    });
    this.#services.counts.add(operation, "RetryScheduled");
    failpoint("run.retried");
    return undefined;
  }
}

/** The delay after a run's failed attempt; undefined after the last one. A run that has waited has all delays again. */
function delayAfter({ attempts, maxAttempts }: RunRecord, { delaysSeconds }: RunHandler): number | undefined {
  const attemptsLeft = maxAttempts - attempts;
  return delaysSeconds[Math.max(0, delaysSeconds.length - attemptsLeft)];
}

/** The work's result, or the signal's reason when it comes first. The work may ignore the signal. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const abortion = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, abortion]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}

function timedOut({ timeLimitSeconds }: RunHandler): RunEnd {
  return { status: "TimedOut", code: "RUN_TOO_LONG", detail: `The attempt took longer than ${timeLimitSeconds} s.` };
}

/** The seconds after which the vendor wants the next call. */
function retryAfterOf(error: unknown): number {
  const wantedSeconds = error instanceof DomainError ? Number(error.facts["retryAfterSeconds"] ?? 0) : 0;
  return Number.isFinite(wantedSeconds) ? Math.min(Math.max(wantedSeconds, 0), longestPauseSeconds) : 0;
}
