import type { JobEnd, JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { readRun } from "./read-run.js";
import type { RunCounts } from "./run-counts.js";
import type { RunPayload } from "./run-job.js";
import { failRun } from "./run-moves.js";
import { type RunEnd, type RunOperations, runErrorOf } from "./run-operations.js";
import { causeOfRun } from "./run-record.js";

/** Fails the run whose job was abandoned, for example after its process died three times. */
export class RunFailure implements JobOwner<RunPayload> {
  readonly #database: Database;
  readonly #operations: RunOperations;
  readonly #counts: RunCounts;

  constructor(database: Database, operations: RunOperations, counts: RunCounts) {
    this.#database = database;
    this.#operations = operations;
    this.#counts = counts;
  }

  /** Raises the fencing number, so that a worker that is still alive ends nothing. */
  async abandoned({ tenantId, runId }: RunPayload, jobEnd: JobEnd): Promise<void> {
    const tenant = tenantWithId(tenantId);
    const record = await readRun(this.#database.reader, tenant, runId);
    if (!record) return;
    const end = endOf(jobEnd);
    await this.#database.transaction(tenant, causeOfRun(record), async (transaction) => {
      const endedRun = await failRun(transaction, runId, end);
      if (!endedRun) return;
      await this.#operations.find(endedRun.operation)?.ended?.(transaction, endedRun, end);
      transaction.afterCommit(() => this.#counts.add(endedRun.operation, end.status));
    });
  }
}

function endOf({ code, message }: JobEnd): RunEnd {
  if (code === "RUN_TOO_LONG") return { status: "TimedOut", code, detail: message };
  if (code === "WORKER_DIED") return { status: "Failed", code, detail: message };
  return { status: "Failed", ...runErrorOf(undefined) };
}
