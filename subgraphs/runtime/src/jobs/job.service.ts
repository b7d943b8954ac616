import { errorCodes } from "@factory/schema/error-codes";
import { tenantStatement } from "../db/tenant-statement.js";
import { idempotentMutation } from "../idempotency/idempotent-mutation.js";
import type { CursorSeal } from "../pagination/cursor.js";
import type { Connection, PageRequest } from "../pagination/page.js";
import type { RequestContext } from "../tenancy/request-context.js";
import { tenantOf } from "../tenancy/tenant.js";
import type { Database } from "../unit-of-work/database.js";
import { isJobId, JobLedger, type JobRecord, unknownJob } from "./administration/job-ledger.js";
import type { JobPosition } from "./administration/job-operations.js";
import { jobEnd } from "./definitions/job-definition.js";
import type { JobType } from "./job.type.js";
import { jobConnection, type ListedJob } from "./job-list.js";
import type { JobQueue } from "./queue/job-queue.js";

/** Lists and redrives a tenant's background jobs in one subgraph. */
export class JobService {
  readonly #database: Database;
  readonly #ledger: JobLedger;
  readonly #cursors: CursorSeal;
  readonly #listing: ReturnType<typeof tenantStatement>;

  constructor(database: Database, jobs: JobQueue, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
    this.#ledger = new JobLedger(jobs);
    this.#listing = tenantStatement("jobs_before", this.#ledger.tenantListing());
  }

  async list(context: RequestContext, { first, after }: PageRequest<never>): Promise<Connection<JobType>> {
    return jobConnection(this.#cursors, [this], { context, first, after });
  }

  /** At most `limit` jobs of the tenant, newest first, that stand after a position in the list. */
  async after(context: RequestContext, position: JobPosition | null, limit: number): Promise<ListedJob[]> {
    const [at, id] = position ?? [null, null];
    const rows = await this.#database.reader.rows(this.#listing, tenantOf(context), at, id, limit);
    return rows.map((row) => {
      const record = this.#ledger.record(row as Parameters<JobLedger["record"]>[0]);
      return { job: jobView(record), position: [record.position, record.jobId] };
    });
  }

  redrive(context: RequestContext, field: string, jobId: string): Promise<JobType> {
    return idempotentMutation(this.#database, context, {
      field,
      arguments: { jobId },
      audit: { subject: `jobs/${jobId}` },
      commit: async (transaction) => {
        if (!isJobId(jobId)) throw unknownJob();
        return jobView(await this.#ledger.redrive(transaction, jobId));
      },
    });
  }
}

function jobView(record: JobRecord): JobType {
  const { jobId, queue, state, subjectId, createdAt, attempts, redrivable, retriedBy } = record;
  return {
    jobId,
    queue,
    state,
    subjectId,
    createdAt: createdAt.toISOString(),
    ageSeconds: Math.max(0, Math.round((Date.now() - createdAt.getTime()) / 1000)),
    attempts,
    reason: publicReason(record.output),
    redrivable,
    retriedBy,
  };
}

/** A failure's public reason: a refusal's text. Details about defects are only in the log. */
function publicReason(output: unknown): string | null {
  if (output == null) return null;
  const { code, message } = jobEnd(output);
  return code !== undefined && code !== "INTERNAL" && Object.hasOwn(errorCodes, code)
    ? `${code}: ${message}`
    : "An internal error occurred.";
}
