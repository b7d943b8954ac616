import type { Logger } from "../telemetry/logger.js";
import { aloneBudgetMs, type JobGate, smallestRunMs } from "./job-gate.js";
import type { AloneJob, JobRuns } from "./job-runs.js";

const lookMs = 2000;

/** What the lane needs of the queue whose jobs it runs. */
export interface AloneWork {
  queues(): readonly string[];
  /** False: the signal came first, so its end was not written down. */
  run(job: AloneJob, signal: AbortSignal): Promise<boolean>;
  /** Its chances are used up: it failed for good, for this reason. */
  end(
    job: { id: string; name: string; retryCount?: number },
    reason: { code: "WORKER_DIED" | "RUN_TOO_LONG"; message: string },
  ): Promise<void>;
}

const workerDied = {
  code: "WORKER_DIED",
  message: "The process died three times while this job was the only one that ran in it.",
} as const;

const tooLong = {
  code: "RUN_TOO_LONG",
  message: `The job had interrupted its process before, and took longer than the ${aloneBudgetMs / 1000} s that such a job may take.`,
} as const;

/** Runs the jobs that have interrupted their process three times: one by one, with no other job beside them. */
export class AloneLane {
  readonly #gate: JobGate;
  readonly #runs: JobRuns;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  /** Cut off before they had all the time that a job may take. */
  readonly #cutShort = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(gate: JobGate, runs: JobRuns, logger: Logger) {
    this.#gate = gate;
    this.#runs = runs;
    this.#logger = logger;
  }

  async start(work: AloneWork): Promise<void> {
    for (const run of await this.#runs.recentAlone()) this.#gate.charge(run);
    this.#schedule(work);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #schedule(work: AloneWork): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look(work)
        .catch((error: unknown) => this.#logger.warn({ err: error }, "a job that has to run alone was not run"))
        .then(() => this.#schedule(work));
    }, lookMs).unref();
  }

  async #look(work: AloneWork): Promise<void> {
    while (!this.#stopping.signal.aborted && work.queues().length > 0) {
      const next = await this.#runs.nextAlone(work.queues());
      if (!next) return;
      if (next.died) {
        await work.end(next, workerDied);
        continue;
      }
      const needed = this.#cutShort.has(next.id) ? aloneBudgetMs : smallestRunMs;
      const ran = await this.#gate.alone(needed, async (limitMs) => {
        const job = await this.#runs.takeAlone(next);
        if (job) await this.#run(work, job, limitMs);
      });
      if (!ran) return;
    }
  }

  async #run(work: AloneWork, job: AloneJob, limitMs: number): Promise<void> {
    this.#logger.warn({ queue: job.name, jobId: job.id }, "a job that has interrupted its process runs alone");
    const limit = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([this.#stopping.signal, limit]);
    const running = work.run(job, signal);
    running.catch(() => undefined);
    // a handler that does not heed the signal goes on, but what it writes about the job is refused
    const ended = await Promise.race([running, aborted(signal).then(() => false)]);
    if (ended) this.#cutShort.delete(job.id);
    else await this.#cutOff(work, job, limitMs);
    await this.#runs.endAlone(job);
  }

  async #cutOff(work: AloneWork, job: AloneJob, limitMs: number): Promise<void> {
    const whole = limitMs >= aloneBudgetMs;
    if (whole && !this.#stopping.signal.aborted) {
      await work.end(job, tooLong);
      this.#cutShort.delete(job.id);
      return;
    }
    this.#cutShort.add(job.id);
    await this.#runs.release([job]);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
