import type { JobDefinition } from "@factory/runtime/jobs/definitions/job-definition";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { heldOperations, runWaits } from "./run.states.js";
import { maxTimeLimitSeconds } from "./run-operations.js";

/** The payload of the job of one attempt. */
export interface RunPayload {
  tenantId: string;
  runId: string;
  /** The number of the attempt. A job of an earlier attempt finds nothing to do. */
  attempt: number;
}

/**
 * The job of one attempt of a run. The attempts of a run are counted by the run itself; the retries of the job are for
 * defects and for a lost database.
 *
 * An attempt mostly waits for a vendor and holds no database connection meanwhile, so the number of attempts at once is
 * far above that of the connections: it takes sixteen tenants with vendors that do not answer to occupy a process.
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
  // A run of the future is not due, and very many of them must not hide others from the sweep.
  // A held run has no job before the time of its process is over.
  since: `coalesce(next_attempt_at, case when ${isHeld} then deadline_at end, created_at)`,
  columns: ["status", "attempts"],
  payload({ tenantId, id, columns: { status, attempts } }) {
    const started = Number(attempts);
    const attempt = status === "Running" ? started : started + 1;
    return { tenantId, runId: id, attempt };
  },
};
