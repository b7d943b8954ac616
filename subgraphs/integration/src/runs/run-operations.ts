import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { RunError } from "@factory/runtime/runs/run-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ErrorCode } from "@factory/schema/error-codes";
import type { Scope } from "@factory/schema/scopes";
import type { RunOperation } from "@factory/schema/vocabularies/runs";
import type { RunRecord } from "./run-record.js";

/** One attempt at a run. */
export interface RunAttempt {
  /** From 1. */
  readonly number: number;
  /** Is aborted at the time limit, when the run is cancelled, and when the process stops. */
  readonly signal: AbortSignal;
  readonly cause: Cause;
}

/** A run's end. `result` holds no secrets. */
export type RunEnd =
  | { readonly status: "Completed"; readonly result: Record<string, unknown> | undefined }
  | {
      readonly status: "Failed" | "TimedOut" | "Cancelled";
      readonly code: string;
      readonly detail: string;
      readonly result?: Record<string, unknown>;
    };

/**
 * The result when work has its outcome later from elsewhere, for example by a delivery. The run waits as RetryScheduled
 * without a job that holds a place. If nothing ends it before, its next attempt begins after the seconds, and may fail
 * as often as the first one.
 */
export class AwaitedOutcome {
  constructor(
    readonly seconds: number,
    /** The facts for `waits`. */
    readonly facts: Readonly<Record<string, unknown>>,
  ) {}
}

/**
 * The outcome when work is not finished: the same attempt goes on after some seconds, under a new job. So a long run
 * occupies a worker for moments only. Its checkpoint holds the place.
 */
export class RunPause {
  constructor(readonly seconds: number) {}
}

/** Does the work for one operation's runs. */
export interface RunHandler {
  /** The delay after each failed attempt but the last one: there is one attempt more than delays. */
  readonly delaysSeconds: readonly number[];
  /** One attempt's time limit, at most `maxTimeLimitSeconds`. A run that reaches it ends as TimedOut. */
  readonly timeLimitSeconds: number;
  /** A scope that a caller needs to cancel the operation's run, beside the one for runs of every kind. */
  cancelScope?(operation: RunOperation): Scope | undefined;
  /**
   * The work, outside any transaction. It may run again after its process has died, so what it does at a vendor must be
   * repeatable.
   */
  work(run: RunRecord, attempt: RunAttempt): Promise<Record<string, unknown> | AwaitedOutcome | RunPause | undefined>;
  /** Whether another attempt may succeed. Absent: `isRetryable` decides. */
  retryable?(error: unknown): boolean;
  /**
   * Applies the outcome in the transaction that ends the run, for every kind of end, so it happens once. A transaction
   * that meets a deadlock runs again, so it must change nothing outside itself.
   */
  ended?(transaction: Transaction, run: RunRecord, end: RunEnd): Promise<void>;
  /**
   * Runs in the transaction in which the run begins to wait for its outcome. Returns the run's end if the outcome has
   * come already.
   */
  waits?(transaction: Transaction, run: RunRecord, facts: AwaitedOutcome["facts"]): Promise<RunEnd | undefined>;
  /** Runs in the transaction that plans another attempt after a failed one. */
  attemptFailed?(transaction: Transaction, run: RunRecord, error: RunError): Promise<void>;
}

/** A run's job lives longer than any attempt. */
export const maxTimeLimitSeconds = 300;

/** The operations' handlers. A slice adds its own in its module's `start`. */
export class RunOperations {
  readonly #handlers = new Map<RunOperation, RunHandler>();

  add(operation: RunOperation, handler: RunHandler): void {
    if (this.#handlers.has(operation)) throw new Error(`The operation ${operation} has a handler already.`);
    if (handler.timeLimitSeconds > maxTimeLimitSeconds)
      throw new Error(`An attempt of ${operation} may take at most ${maxTimeLimitSeconds} s.`);
    this.#handlers.set(operation, handler);
  }

  find(operation: RunOperation): RunHandler | undefined {
    return this.#handlers.get(operation);
  }

  get(operation: RunOperation): RunHandler {
    const handler = this.#handlers.get(operation);
    if (!handler) throw new Error(`The operation ${operation} has no handler in this process.`);
    return handler;
  }
}

const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "UPSTREAM_FAILED",
  "UPSTREAM_TIMEOUT",
  "UNAVAILABLE",
  "RATE_LIMITED",
  "SECRET_STORE_UNAVAILABLE",
]);

/** The default rule: a refusal is final, but not where the vendor or the platform is only unable for the moment. */
export const isRetryable = (error: unknown): boolean => !(error instanceof DomainError) || passing.has(error.code);

/** Whether a run that ended with this code was given up after attempts that might have succeeded. */
export const isRetryableCode = (code: string): boolean => passing.has(code as ErrorCode);

/** The reason for a failure. A defect's text is for the log only. */
export function runErrorOf(error: unknown): RunError {
  if (error instanceof DomainError) return { code: error.code, detail: error.message };
  return { code: "INTERNAL", detail: "An internal error occurred." };
}
