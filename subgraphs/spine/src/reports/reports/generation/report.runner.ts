import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { JobAttempt, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { RunError } from "@factory/runtime/runs/run-error";
import { RunLost, withCancellation } from "@factory/runtime/runs/run-lost";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { TooManyRowsError } from "../../report-formats/report/too-many-rows.js";
import { type ContentStore, ContentTooLarge } from "../contents/content-store.js";
import type { RunPayload } from "../runs/run-job.js";
import { runTable } from "../runs/run-record.js";
import type { RunRoom } from "../runs/run-room.js";
import { tooManyBytes, tooManyRows } from "../runs/too-large.js";
import type { ReportSnapshots } from "../snapshot/report-snapshots.js";
import { ContentWriting } from "./content-writing.js";
import { RunClaim } from "./run-claim.js";

interface RunnerServices {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly room: RunRoom;
  readonly watch: StepWatch;
  readonly snapshots: ReportSnapshots;
  readonly contents: ContentStore;
  readonly logger: Logger;
}

/** Generates one run's report: claims the run, writes the content, and completes or fails the run. */
export class ReportRunner {
  readonly #services: RunnerServices;

  constructor(services: RunnerServices) {
    this.#services = services;
  }

  async run(payload: RunPayload, { signal }: Pick<JobAttempt, "signal">): Promise<void> {
    await withCancellation(this.#services.watch, runTable.uuid(payload.reportRunId), async (cancellation) => {
      await this.#services.contents.usable(signal);
      const claim = await RunClaim.take(this.#services, payload);
      failpoint("reports.claimed");
      if (claim) await this.#generate(claim, AbortSignal.any([signal, cancellation]));
    });
  }

  async #generate(claim: RunClaim, signal: AbortSignal): Promise<void> {
    const writing = new ContentWriting(claim, this.#services);
    const content = await writing.write(signal).catch(async (error: unknown) => {
      await this.#remove(claim);
      return this.#failed(claim, error, signal);
    });
    if (!content) return;
    failpoint("reports.written");
    try {
      await claim.complete(writing.rows, content);
    } catch (error) {
      // After another error the transaction may have been committed. The sweep removes what belongs to no run.
      if (finalError(error, claim) || error instanceof RunLost) await this.#remove(claim);
      await this.#failed(claim, error, signal);
    }
    failpoint("reports.completed");
  }

  /** Fails the run for a reason that another attempt would not change; throws every other error. */
  async #failed(claim: RunClaim, error: unknown, signal: AbortSignal): Promise<undefined> {
    const final = finalError(error, claim);
    if (!final || signal.aborted) throw error;
    this.#services.logger.info({ reportRunId: claim.run.reportRunId, code: final.code }, "a report run has failed");
    await claim.fail(final);
    return undefined;
  }

  /** If this fails, the sweep removes the content. */
  async #remove({ content }: RunClaim): Promise<void> {
    await this.#services.contents.remove(content).catch(() => undefined);
  }
}

const finalCodes: ReadonlySet<string> = new Set(["REPORT_TOO_LARGE", "RUN_TOO_LONG"]);

/** The reason for a failure that another attempt would not change. */
function finalError(error: unknown, { run }: RunClaim): RunError | undefined {
  if (error instanceof TooManyRowsError) return errorOf(tooManyRows(run.format, error.maxRows));
  if (error instanceof ContentTooLarge) return errorOf(tooManyBytes(error.maxBytes));
  return error instanceof DomainError && finalCodes.has(error.code) ? errorOf(error) : undefined;
}

const errorOf = ({ code, message }: DomainError): RunError => ({ code, detail: message });
