import type { Backlog, WaitingWork } from "../../backlogs/waiting-work.js";
import type { Cause } from "../../messages/envelope.js";
import { tenantWithId } from "../../tenancy/tenant.js";
import type { Database } from "../../unit-of-work/database.js";
import { jobEnd } from "../definitions/job-definition.js";
import type { JobQueue } from "../queue/job-queue.js";
import type { Sweeper } from "../sweeping/sweeper.js";
import { isJobId, JobLedger, type JobRecord, unknownJob } from "./job-ledger.js";
import { waitingJobs } from "./waiting-jobs.js";

/** Any tenant's job for the operator, with the stored reason and without the payload. */
export interface OperatorJob {
  readonly jobId: string;
  readonly queue: string;
  readonly state: JobRecord["state"];
  readonly tenantId: string;
  readonly subjectId: string | null;
  readonly createdAt: string;
  readonly ageSeconds: number;
  readonly attempts: number;
  readonly reason: string | null;
  readonly redrivable: boolean;
  readonly retriedBy: string | null;
}

/** The position after which a page begins, newest jobs first. The time is as PostgreSQL prints it. */
export type JobPosition = readonly [createdAt: string, jobId: string];

interface PositionedJob {
  readonly position: JobPosition;
  readonly job: OperatorJob;
}

/** The operations that the platform's operator has on one subgraph's background jobs. */
export class JobOperations implements Backlog {
  readonly #database: Database;
  readonly #jobs: JobQueue;
  readonly #ledger: JobLedger;
  readonly #sweeper: Sweeper;

  constructor(database: Database, jobs: JobQueue, sweeper: Sweeper) {
    this.#database = database;
    this.#jobs = jobs;
    this.#ledger = new JobLedger(jobs);
    this.#sweeper = sweeper;
  }

  has(queue: string): boolean {
    return this.#jobs.definitions().some((candidate) => candidate.queue === queue);
  }

  async list(before: JobPosition | undefined, limit: number): Promise<PositionedJob[]> {
    const records = await this.#ledger.all(before, limit);
    return records.map((record) => ({ position: [record.position, record.jobId], job: operatorJob(record) }));
  }

  /** Sends the job again for an operator, with an audit record in the job tenant's log. */
  async redrive(queue: string, jobId: string, cause: Cause): Promise<OperatorJob> {
    const tenantId = isJobId(jobId) ? await this.#ledger.tenantOf(queue, jobId) : undefined;
    if (tenantId === undefined) throw unknownJob();
    return this.#database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
      transaction.audit({ operation: "POST /jobs/{queue}/{jobId}/redrive", subject: `jobs/${jobId}` });
      return operatorJob(await this.#ledger.redrive(transaction, jobId));
    });
  }

  waiting(): Promise<WaitingWork[]> {
    return waitingJobs(this.#jobs);
  }

  /** How many rows wait for a job that does not exist, by slice. */
  lying(): Promise<Record<string, number>> {
    return this.#sweeper.lying();
  }

  /** Searches for such rows and repairs them now, and not at the sweeper's next turn. */
  sweep(): Promise<void> {
    return this.#sweeper.sweep();
  }

  /** How many rows were repaired since the start, by slice. */
  repaired(): Record<string, number> {
    return this.#sweeper.repaired();
  }
}

function operatorJob(record: JobRecord): OperatorJob {
  const { jobId, queue, state, tenantId, subjectId, createdAt, attempts, redrivable, retriedBy, output } = record;
  const end = output == null ? undefined : jobEnd(output);
  return {
    jobId,
    queue,
    state,
    tenantId,
    subjectId,
    createdAt: createdAt.toISOString(),
    ageSeconds: Math.max(0, Math.round((Date.now() - createdAt.getTime()) / 1000)),
    attempts,
    reason: end === undefined ? null : end.code === undefined ? end.message : `${end.code}: ${end.message}`,
    redrivable,
    retriedBy,
  };
}
