import type { JobEnd, JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import type { RunError } from "@factory/runtime/runs/run-error";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { readRun } from "../runs/read-run.js";
import type { RunPayload } from "../runs/run-job.js";
import { abandonRun } from "../runs/run-moves.js";
import { causeOfRun } from "../runs/run-record.js";

/** Fails the run whose job was abandoned: after three failed attempts, three process deaths, or too long a time. */
export class RunFailure implements JobOwner<RunPayload> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async abandoned({ tenantId, reportRunId }: RunPayload, end: JobEnd): Promise<void> {
    const tenant = tenantWithId(tenantId);
    const run = await readRun(this.#database.reader, tenant, reportRunId);
    if (!run) return;
    await this.#database.transaction(tenant, causeOfRun(run), async (transaction) => {
      await abandonRun(transaction, reportRunId, errorOf(end));
    });
  }
}

/** A defect's text is for the log only. */
function errorOf({ code, message }: JobEnd): RunError {
  if (code === "RUN_TOO_LONG" || code === "WORKER_DIED") return { code, detail: message };
  return { code: "INTERNAL", detail: "An internal error occurred. Generate the report again." };
}
