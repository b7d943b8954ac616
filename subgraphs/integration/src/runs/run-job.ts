import type { JobDefinition } from "@factory/runtime/jobs/definitions/job-definition";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { heldOperations, runWaits } from "./run.states.js";
import { maxTimeLimitSeconds } from "./run-operations.js";

/** The payload for an attempt's job. */
export interface RunPayload {
  tenantId: string;
  runId: string;
  /** The attempt's number. A job for an earlier attempt finds nothing to do. */
  attempt: number;
}

/**
 * The job for one attempt at a run. The run itself counts its attempts; the job's retries are for defects and for a
 * lost database.
 *
 * An attempt mostly waits for a vendor and holds no database connection meanwhile, so far more attempts than
 * connections are possible at once: it takes sixteen tenants with vendors that do not answer to occupy a process.
 */
export const runJob: JobDefinition<RunPayload> = {
  queue: "integration.runs",
  retryLimit: 2,
  retryDelaySeconds: 1,
  expireInSeconds: maxTimeLimitSeconds + 60,
  concurrency: 64,
  concurrencyPerTenant: 4,
  fair: true,
  subject: "runId",
  notRedrivable: "The run of this job has ended. Ask for the operation again, which starts a new run.",
};

const isHeld = `operation in (${heldOperations.map((operation) => `'${operation}'`).join(", ")})`;

/** The runs that only a job ends, for the sweep that finds those without a job. */
export const waitingRuns: WaitingRows<RunPayload> = {
  slice: "runs",
  job: runJob,
  table: "runs",
  id: "run_id",
  prefix: "run",
  waiting: runWaits,
  // A run in the future is not due, and very many such runs must not hide others from the sweep. A held run has no job
  // before its process's time is over.
  since: `coalesce(next_attempt_at, case when ${isHeld} then deadline_at end, created_at)`,
  columns: ["status", "attempts"],
  payload({ tenantId, id, columns: { status, attempts } }) {
    const startedCount = Number(attempts);
    const attempt = status === "Running" ? startedCount : startedCount + 1;
    return { tenantId, runId: id, attempt };
  },
};
