import { DomainError } from "../../errors/domain-error.js";
import type { Transaction } from "../../unit-of-work/database.js";
import {
  aloneQueue,
  baseQueue,
  type JobDefinition,
  maintenance,
  mayRunAgain,
  type TenantPayload,
} from "../definitions/job-definition.js";
import { jobColumns } from "../queue/access-functions.js";
import type { JobQueue } from "../queue/job-queue.js";

/** A job that runs, waits for its next attempt, or has failed. The payload is never included. */
export interface JobRecord {
  readonly jobId: string;
  readonly queue: string;
  readonly state: "Running" | "Retrying" | "Failed" | "Redriven";
  readonly tenantId: string;
  /** Wire ID of the row that the job works for. */
  readonly subjectId: string | null;
  /** The creation time in microseconds, as PostgreSQL prints it. It is the position in the list. */
  readonly position: string;
  readonly createdAt: Date;
  readonly attempts: number;
  /** The output that pg-boss stored. It must not be shown to tenants. */
  readonly output: unknown;
  /** Whether the job can be sent again. */
  readonly redrivable: boolean;
  /** The operation that repeats the work, where the job cannot be sent again. */
  readonly retriedBy: string | null;
}

interface JobRow {
  id: string;
  name: string;
  state: string;
  group_id: string;
  singleton_key: string | null;
  position: string;
  created_on: Date | string;
  retry_count: number;
  retry_limit: number;
  output: unknown;
}

const states: Readonly<Record<string, JobRecord["state"]>> = {
  active: "Running",
  retry: "Retrying",
  failed: "Failed",
  cancelled: "Redriven",
};

/**
 * Lists and redrives jobs: for tenants through the SQL functions (`access-functions.ts`), for the operator as the
 * worker role.
 */
export class JobLedger {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  /** Lists a tenant's jobs, newest first. `$2` and `$3` are the position, `$4` is the limit. */
  tenantListing(): string {
    return `select job.* from ${this.#jobs.schema}.tenant_jobs($2::timestamptz, $3::uuid, $4::int) job
      where scope.tenant is not null`;
  }

  /** All tenants' jobs, for the operator. */
  async all(before: readonly [string, string] | undefined, limit: number): Promise<JobRecord[]> {
    const { rows } = await this.#jobs.sql.executeSql(
      `select ${jobColumns} from ${this.#jobs.schema}.job
       where job.name = any($1::text[]) and job.state in ('retry', 'active', 'failed')
         and ($2::timestamptz is null or (job.created_on, job.id) < ($2, $3::uuid))
       order by job.created_on desc, job.id desc limit $4`,
      [
        this.#jobs.definitions().flatMap(({ queue }) => [queue, aloneQueue(queue)]),
        before?.[0] ?? null,
        before?.[1] ?? null,
        limit,
      ],
    );
    return rows.map((row) => this.record(row as unknown as JobRow));
  }

  record(row: JobRow): JobRecord {
    const queue = baseQueue(row.name);
    const definition = this.#jobs.definitions().find((candidate) => candidate.queue === queue);
    const interruptions = Math.max(0, row.retry_limit - (definition?.retryLimit ?? row.retry_limit));
    return {
      jobId: row.id,
      queue,
      state: states[row.state] ?? "Failed",
      tenantId: row.group_id,
      subjectId: row.singleton_key,
      position: row.position,
      createdAt: new Date(row.created_on),
      attempts: Math.max(1, row.retry_count + 1 - interruptions),
      output: row.output,
      redrivable: row.state === "failed" && definition !== undefined && mayRunAgain(definition),
      retriedBy: definition?.retriedBy ?? null,
    };
  }

  /** A job's tenant, for the operator. */
  async tenantOf(queue: string, jobId: string): Promise<string | undefined> {
    const { rows } = await this.#jobs.sql.executeSql(
      `select group_id from ${this.#jobs.schema}.job where name = any($1::text[]) and id = $2`,
      [[queue, aloneQueue(queue)], jobId],
    );
    return rows[0] && String(rows[0]["group_id"]);
  }

  /**
   * Sends a failed job again for the transaction's tenant, and puts its row back into the waiting state. Throws
   * JOB_NOT_FOUND or INVALID_STATE.
   */
  async redrive(transaction: Transaction, jobId: string): Promise<JobRecord> {
    const [row] = await transaction.execute<JobRow & { data: TenantPayload; ending: boolean }>(
      `select * from ${this.#jobs.schema}.failed_job($1)`,
      [jobId],
    );
    if (!row) throw unknownJob();
    const job = this.#redrivable(row);
    // The job's dead letter is about to end the row. If the job were sent again now, its row would end afterwards.
    if (row.ending)
      throw new DomainError("INVALID_STATE", {
        detail: "The job is being ended now. Try again in a moment.",
      });
    const dead = this.#jobs.deadLetterRule(job);
    if (dead !== maintenance) await dead.revived?.(transaction, row.data);
    await this.#jobs.redrive(transaction, job, jobId);
    return this.record({ ...row, state: "cancelled" });
  }

  #redrivable(row: JobRow): JobDefinition<TenantPayload> {
    const { state, retriedBy } = this.record(row);
    if (state !== "Failed")
      throw new DomainError("INVALID_STATE", {
        detail:
          state === "Redriven"
            ? "The job was sent again already. A job can be sent again only once."
            : "Only a job that is Failed can be sent again. This job still runs or waits for its next attempt.",
        currentState: state,
        allowed: ["Failed"],
      });
    if (retriedBy !== null)
      throw new DomainError("INVALID_STATE", {
        detail: `The work of this job has ended. Use the operation ${retriedBy} to try it again.`,
        currentState: state,
        operation: retriedBy,
      });
    const job = this.#jobs.definitions().find(({ queue }) => queue === baseQueue(row.name));
    if (!job) throw unknownJob();
    if (job.notRedrivable !== undefined)
      throw new DomainError("INVALID_STATE", { detail: job.notRedrivable, currentState: state });
    return job;
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the text is a UUID, as job IDs are. */
export const isJobId = (text: string): boolean => uuid.test(text);

/** The refusal JOB_NOT_FOUND. */
export function unknownJob(): DomainError {
  return new DomainError("JOB_NOT_FOUND", { detail: "No unfinished or failed job has this ID." });
}
