import type { Cause } from "@factory/runtime/messages/envelope";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { endRun, moveRun, RunLost, runMove } from "./run-moves.js";
import type { RunEnd, RunError } from "./run-operations.js";
import { causeOfRun, type RunRecord, type RunRow, runRecord, runUuid } from "./run-record.js";

/** A change in the transaction that moves a run. */
type Change = (transaction: Transaction, run: RunRecord) => Promise<void>;

const claim = runMove(
  "run_claim",
  `attempts = $4, fence = fence + 1, started_at = coalesce(started_at, now()), next_attempt_at = null,
    deadline_at = now() + $5::float8 * interval '1 second'`,
  `(status in ('Queued', 'RetryScheduled') and attempts = $4 - 1 or status = 'Running' and attempts = $4)`,
);

const scheduleRetry = runMove(
  "run_retry",
  "next_attempt_at = $4, deadline_at = null, error_code = $5, error_detail = $6",
  "status = 'Running' and fence = $7",
);

const scheduleWait = runMove(
  "run_wait",
  `next_attempt_at = $4, deadline_at = null, error_code = null, error_detail = null,
    max_attempts = attempts + $6::int`,
  "status = 'Running' and fence = $5",
);
const pause = {
  name: "run_pause",
  text: `update runs set next_attempt_at = $4, deadline_at = null
    where tenant_id = $1 and run_id = $2 and status = 'Running' and fence = $3 returning *`,
};

/** The claim of one worker on a run. Every change checks the fencing number. */
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

  /** Claims an attempt of the run. Undefined when the run has ended, or the attempt was not planned or is over. */
  static async take(
    database: Database,
    known: RunRecord,
    limits: { attempt: number; timeLimitSeconds: number },
  ): Promise<RunClaim | undefined> {
    const tenant = tenantWithId(known.tenantId);
    const run = await database.transaction(tenant, causeOfRun(known), (transaction) =>
      moveRun(transaction, claim, {
        runId: known.runId,
        to: "Running",
        values: [limits.attempt, limits.timeLimitSeconds],
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
  retry({ code, detail }: RunError, nextAttemptAt: Date, change: Change): Promise<void> {
    const { runId, fence } = this.run;
    const move = { runId, to: "RetryScheduled", values: [nextAttemptAt, code, detail.slice(0, 2000), fence] } as const;
    return this.#change((transaction) => moveRun(transaction, scheduleRetry, move), change);
  }

  /**
   * Plans the first of the further attempts that follow if nothing ends the run before. `change` runs in the same
   * transaction. Throws RunLost.
   */
  wait(nextAttemptAt: Date, furtherAttempts: number, change: Change): Promise<void> {
    const { runId, fence } = this.run;
    const move = { runId, to: "RetryScheduled", values: [nextAttemptAt, fence, furtherAttempts] } as const;
    return this.#change((transaction) => moveRun(transaction, scheduleWait, move), change);
  }

  /** Lets the attempt go on later. It stays Running. `change` runs in the same transaction. Throws RunLost. */
  pause(until: Date, change: Change): Promise<void> {
    const { runId, fence } = this.run;
    return this.#change(async ({ execute, tenant }) => {
      const [row] = await execute<RunRow>(pause, [tenant.uuid, runUuid(runId), fence, until]);
      return row && runRecord(row);
    }, change);
  }

  #change(move: (transaction: Transaction) => Promise<RunRecord | undefined>, change: Change): Promise<void> {
    return this.#database.transaction(this.#tenant, this.cause, async (transaction) => {
      const moved = await move(transaction);
      if (!moved) throw new RunLost();
      await change(transaction, moved);
    });
  }
}
