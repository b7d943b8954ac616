import { failpoint } from "@factory/runtime/faults/failpoint";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { RunError } from "@factory/runtime/runs/run-error";
import { requireMoved } from "@factory/runtime/runs/run-lost";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ContentName, StoredContent } from "../contents/content-store.js";
import { expireReportJob, type RunPayload } from "../runs/run-job.js";
import { claimRun, completeRun, failRun, storeProgress } from "../runs/run-moves.js";
import { causeOfRun, type RunRecord, runTable } from "../runs/run-record.js";
import type { RunRoom } from "../runs/run-room.js";

interface ClaimServices {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly room: RunRoom;
}

/** A worker's claim on a report run. Every change checks the fencing number. */
export class RunClaim {
  readonly run: RunRecord;
  readonly tenant: Tenant;
  /** The bytes that the content may have. */
  readonly maxBytes: number;
  readonly #services: ClaimServices;

  private constructor(services: ClaimServices, tenant: Tenant, claim: { run: RunRecord; maxBytes: number }) {
    this.#services = services;
    this.tenant = tenant;
    this.run = claim.run;
    this.maxBytes = claim.maxBytes;
  }

  /** Claims the run. Undefined when it has ended or does not exist. */
  static async take(services: ClaimServices, { tenantId, reportRunId }: RunPayload): Promise<RunClaim | undefined> {
    const tenant = tenantWithId(tenantId);
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    const claim = await services.database.transaction(tenant, cause, async (transaction) => {
      const maxBytes = await services.room.bytesLeft(transaction);
      const run = await claimRun(transaction, reportRunId);
      return run && { run, maxBytes };
    });
    return claim && new RunClaim(services, tenant, claim);
  }

  /** The name for this attempt's content. */
  get content(): ContentName {
    return { tenant: this.tenant.uuid, run: runTable.uuid(this.run.reportRunId), fence: this.run.fence };
  }

  /** Stores how far the run has come. Throws RunLost. */
  progress(rows: { readonly done: number; readonly total: number }): Promise<void> {
    return this.#transaction((transaction) => storeProgress(transaction, this.run, rows));
  }

  /** Completes the run, whose content is stored. Throws RunLost, and REPORT_TOO_LARGE without any change. */
  complete(rows: number, { sizeBytes, sha256 }: StoredContent): Promise<void> {
    return this.#transaction(async (transaction) => {
      await this.#services.room.requireBytes(transaction, sizeBytes);
      const completedRun = await completeRun(transaction, this.run, { rows, sizeBytes, sha256 });
      const { tenantId, reportRunId, expiresAt } = requireMoved(completedRun);
      const startAfter = new Date(expiresAt ?? Date.now());
      await this.#services.jobs.send(transaction, expireReportJob, { tenantId, reportRunId }, { startAfter });
      failpoint("reports.completing");
    });
  }

  /** Fails the run. Throws RunLost. */
  fail(error: RunError): Promise<void> {
    return this.#transaction(async (transaction) => {
      requireMoved(await failRun(transaction, this.run, error));
    });
  }

  #transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#services.database.transaction(this.tenant, causeOfRun(this.run), work);
  }
}
