import type { Cause } from "@factory/runtime/messages/envelope";
import { errorColumns, type RunError } from "@factory/runtime/runs/run-error";
import { requireMoved } from "@factory/runtime/runs/run-lost";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { endRun, moveRun } from "./run-moves.js";
import type { RunEnd } from "./run-operations.js";
import { causeOfRun, type RunRecord, runRecord, runTable } from "./run-record.js";

/** A change in the transaction that moves a run. */
type Change = (transaction: Transaction, run: RunRecord) => Promise<void>;

const claim = runTable.moveStatement(
  "run_claim",
  `attempts = $attempt, fence = fence + 1, started_at = coalesce(started_at, now()), next_attempt_at = null,
    deadline_at = now() + $seconds::float8 * interval '1 second'`,
  "(status in ('Queued', 'RetryScheduled') and attempts = $attempt - 1 or status = 'Running' and attempts = $attempt)",
);
const isClaimed = "status = 'Running' and fence = $fence";
const scheduleRetry = runTable.moveStatement(
  "run_retry",
  "next_attempt_at = $next, deadline_at = null, error_code = $code, error_detail = $detail",
  isClaimed,
);
const scheduleWait = runTable.moveStatement(
  "run_wait",
  `next_attempt_at = $next, deadline_at = null, error_code = null, error_detail = null,
    max_attempts = attempts + $further::int`,
  isClaimed,
);
const pause = runTable.changeStatement("run_pause", "next_attempt_at = $next, deadline_at = null", isClaimed);

/** One worker's claim on a run. Every change checks the fencing number. */
export class RunClaim {
  readonly run: RunRecord;
  readonly cause: Cause;
  readonly #database: Database;
  readonly #tenant: Tenant;

  private constructor(database: Database, tenant: Tenant, run: RunRecord) {
    this.#database = database;
    this.#tenant = tenant;
    this.run = run;
    this.cause = causeOfRun(run);
  }

  /** Claims a run's attempt. Undefined when the run has ended, or the attempt was not planned or is over. */
  static async take(
    database: Database,
    record: RunRecord,
    limits: { attempt: number; timeLimitSeconds: number },
  ): Promise<RunClaim | undefined> {
    const tenant = tenantWithId(record.tenantId);
    const run = await database.transaction(tenant, causeOfRun(record), (transaction) =>
      moveRun(transaction, claim, {
        id: record.runId,
        to: "Running",
        values: { attempt: limits.attempt, seconds: limits.timeLimitSeconds },
      }),
    );
    return run && new RunClaim(database, tenant, run);
  }

  /** Ends the run. `change` runs in the same transaction. Throws RunLost. */
  end(end: RunEnd, change: Change): Promise<void> {
    const { runId, fence } = this.run;
    return this.#change((transaction) => endRun(transaction, runId, end, fence), change);
  }

  /** Plans another attempt. `change` runs in the same transaction. Throws RunLost. */
  retry(error: RunError, next: Date, change: Change): Promise<void> {
    const values = { next, ...errorColumns(error), fence: this.run.fence };
    return this.#change((transaction) => moveRun(transaction, scheduleRetry, { ...this.#retried, values }), change);
  }

  /**
   * Plans the first further attempt. The attempts follow if nothing ends the run before. `change` runs in the same
   * transaction. Throws RunLost.
   */
  wait(next: Date, further: number, change: Change): Promise<void> {
    const values = { next, further, fence: this.run.fence };
    return this.#change((transaction) => moveRun(transaction, scheduleWait, { ...this.#retried, values }), change);
  }

  /** Lets the attempt go on later. It stays Running. `change` runs in the same transaction. Throws RunLost. */
  pause(next: Date, change: Change): Promise<void> {
    const { runId, fence } = this.run;
    return this.#change(async (transaction) => {
      const row = await runTable.change(transaction, pause, { id: runId, values: { next, fence } });
      return row && runRecord(row);
    }, change);
  }

  get #retried() {
    return { id: this.run.runId, to: "RetryScheduled" } as const;
  }

  #change(move: (transaction: Transaction) => Promise<RunRecord | undefined>, change: Change): Promise<void> {
    return this.#database.transaction(this.#tenant, this.cause, async (transaction) =>
      change(transaction, requireMoved(await move(transaction))),
    );
  }
}
