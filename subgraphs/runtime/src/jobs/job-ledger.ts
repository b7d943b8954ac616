import type { Transaction } from "../db/database.js";
import { DomainError } from "../errors/domain-error.js";
import { aloneQueue, baseQueue, type JobDefinition, maintenance, type TenantPayload } from "./job-definition.js";
import type { JobQueue } from "./job-queue.js";

/** A job that runs, waits for another try, or has failed for good. Never its payload. */
export interface JobRecord {
  readonly jobId: string;
  readonly queue: string;
  readonly state: "Running" | "Retrying" | "Failed" | "Redriven";
  readonly tenantId: string;
  /** Of the row that the job works for. */
  readonly subjectId: string | null;
  /** As PostgreSQL writes it, to the microsecond: the position in the list. */
  readonly position: string;
  readonly createdAt: Date;
  readonly attempts: number;
  /** As pg-boss wrote it down: not for tenants. */
  readonly output: unknown;
  /** Sending the job again is the way to try again. */
  readonly redrivable: boolean;
  /** Else this operation is. */
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

const columns = `job.id, job.name, job.state::text as state, job.group_id, job.singleton_key,
  job.created_on::text as position, job.created_on, job.retry_count, job.retry_limit, job.output`;

/**
 * Every statement about jobs that serves a caller, in one place. Tenants are told apart by the group of a job: the
 * tables have no row-level security.
 */
export class JobLedger {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  /** Newest first. `$2` the tenant or null, `$3` queues, `$4` and `$5` the position before which, `$6` how many. */
  listing(condition: string): string {
    return `select ${columns} from ${this.#jobs.schema}.job job
      where ${condition} and ($2::text is null or job.group_id = $2) and job.name = any($3::text[])
        and job.state in ('retry', 'active', 'failed')
        and ($4::timestamptz is null or (job.created_on, job.id) < ($4, $5::uuid))
      order by job.created_on desc, job.id desc limit $6`;
  }

  queues(): string[] {
    return this.#jobs.definitions().flatMap(({ queue }) => [queue, aloneQueue(queue)]);
  }

  /** Of every tenant, for the operator. */
  async all(before: readonly [string, string] | undefined, limit: number): Promise<JobRecord[]> {
    const values = [null, null, this.queues(), before?.[0] ?? null, before?.[1] ?? null, limit];
    const { rows } = await this.#jobs.sql.executeSql(this.listing("$1::text is null"), values);
    return rows.map((row) => this.record(row as unknown as JobRow));
  }

  record(row: JobRow): JobRecord {
    const queue = baseQueue(row.name);
    const definition = this.#jobs.definitions().find((known) => known.queue === queue);
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
      redrivable: row.state === "failed" && definition !== undefined && definition.retriedBy === undefined,
      retriedBy: definition?.retriedBy ?? null,
    };
  }

  /** The tenant of a job, for the operator. */
  async tenantOf(queue: string, jobId: string): Promise<string | undefined> {
    const { rows } = await this.#jobs.sql.executeSql(
      `select group_id from ${this.#jobs.schema}.job where name = any($1::text[]) and id = $2`,
      [[queue, aloneQueue(queue)], jobId],
    );
    return rows[0] && String(rows[0]["group_id"]);
  }

  /** Sends a failed job of the transaction's tenant again, once, and puts the row that it works for back. */
  async redrive(transaction: Transaction, jobId: string): Promise<JobRecord> {
    const { execute, tenant } = transaction;
    const [row] = await execute<JobRow & { data: TenantPayload }>(
      `select ${columns}, job.data from ${this.#jobs.schema}.job job
       where job.name = any($2::text[]) and job.id = $1 and job.group_id = $3
         and job.state in ('retry', 'active', 'failed', 'cancelled') for update`,
      [jobId, this.queues(), tenant.tenantId],
    );
    if (!row) throw unknownJob();
    const job = this.#redrivable(row);
    await this.#requireEnded(transaction, jobId);
    const dead = this.#jobs.deadLetterRule(job);
    if (dead !== maintenance) await dead.revived?.(transaction, row.data);
    await execute(`update ${this.#jobs.schema}.job set state = 'cancelled' where name = $2 and id = $1`, [
      jobId,
      row.name,
    ]);
    await this.#jobs.send(transaction, job, row.data);
    return this.record({ ...row, state: "cancelled" });
  }

  #redrivable(row: JobRow): JobDefinition<TenantPayload> {
    const { state, retriedBy } = this.record(row);
    if (state !== "Failed")
      throw new DomainError("INVALID_STATE", {
        detail: state === "Redriven" ? "The job was sent again before." : "The job has not failed for good.",
        currentState: state,
        allowed: ["Failed"],
      });
    if (retriedBy !== null)
      throw new DomainError("INVALID_STATE", {
        detail: `What the job worked for has ended. Use ${retriedBy} to try it again.`,
        currentState: state,
        operation: retriedBy,
      });
    const job = this.#jobs.definitions().find(({ queue }) => queue === baseQueue(row.name));
    if (!job) throw unknownJob();
    return job;
  }

  /** Its dead letter ends the row within moments; sending the job again before would let that end it afterwards. */
  async #requireEnded({ execute }: Transaction, jobId: string): Promise<void> {
    const ending = await execute(
      `select true from ${this.#jobs.schema}.job
       where source_root_id = $1 and name like '%.dead' and state < 'completed'`,
      [jobId],
    );
    if (ending.length > 0)
      throw new DomainError("INVALID_STATE", {
        detail: "What the job worked for is being ended. Try again in a moment.",
      });
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isJobId = (text: string): boolean => uuid.test(text);

export function unknownJob(): DomainError {
  return new DomainError("JOB_NOT_FOUND", { detail: "There is no such job." });
}
