import { PeriodicLoop } from "../../loops/periodic-loop.js";
import type { Logger } from "../../telemetry/logger.js";
import { aloneBudgetMs, type JobGate } from "./job-gate.js";
import type { JobProcess } from "./job-process.js";
import type { AloneJob, JobRuns } from "./job-runs.js";

/** The queue operations that a lane needs. */
export interface AloneWork {
  queues(): readonly string[];
  /** Runs the job. Returns false when the signal was aborted first, so that the job's end was not stored. */
  run(job: AloneJob, signal: AbortSignal): Promise<boolean>;
  /** Fails the job for good with this reason, since its attempts are used up. */
  end(
    job: { id: string; name: string; retryCount?: number },
    reason: { code: "WORKER_DIED" | "RUN_TOO_LONG"; message: string },
  ): Promise<void>;
}

/** The log line about a failed look for jobs that run alone. */
export const notRun = "a job that has to run alone was not run";

export const workerDied = {
  code: "WORKER_DIED",
  message: "The process died three times while this job was the only one that ran in it.",
} as const;

const tooLong = {
  code: "RUN_TOO_LONG",
  message: `The job had interrupted its process before, and took longer than the ${aloneBudgetMs / 1000} s that such a job may take.`,
} as const;

/** Runs the jobs that have interrupted their process three times, one by one and without other jobs beside them. */
export class AloneLane {
  readonly #gate: JobGate;
  readonly #runs: JobRuns;
  readonly #logger: Logger;
  readonly #loop: PeriodicLoop;
  /** Jobs that were cut off before a job's time limit. */
  readonly #cutShort = new Set<string>();
  #children: () => readonly string[] = () => [];

  constructor({ gate, limits }: JobProcess, runs: JobRuns, logger: Logger, schema: string) {
    this.#gate = gate;
    this.#runs = runs;
    this.#logger = logger;
    this.#loop = new PeriodicLoop({ name: `jobs alone ${schema}`, periodMs: limits.lookMs, logger, failure: notRun });
  }

  /** `children`: the queues whose jobs may run in a child process instead. */
  async start(work: AloneWork, children: () => readonly string[]): Promise<void> {
    for (const run of await this.#runs.recentAlone()) this.#gate.charge(run);
    this.#children = children;
    this.#loop.start(() => this.#look(work));
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(work: AloneWork): Promise<void> {
    while (!this.#loop.signal.aborted && work.queues().length > 0) {
      const next = await this.#runs.nextAlone(work.queues(), false);
      if (!next) return;
      if (next.died) {
        await work.end(next, workerDied);
        continue;
      }
      const neededMs = this.#cutShort.has(next.id) ? this.#gate.budgetMs : this.#gate.smallestRunMs;
      const ran = await this.#loop.during(() =>
        this.#gate.alone(neededMs, async (limitMs) => {
          const job = await this.#runs.takeAlone(next, false);
          if (job) await this.#run(work, job, limitMs);
        }),
      );
      if (!ran) return;
    }
  }

  async #run(work: AloneWork, job: AloneJob, limitMs: number): Promise<void> {
    this.#logger.warn({ queue: job.name, jobId: job.id }, "a job that has interrupted its process runs alone");
    const limit = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([this.#loop.signal, limit]);
    const running = work.run(job, signal);
    running.catch(() => undefined);
    // A handler that ignores the signal continues, but its result is refused.
    const isEnded = await Promise.race([running, aborted(signal).then(() => false)]);
    if (isEnded) this.#cutShort.delete(job.id);
    else await this.#cutOff(work, job, limitMs);
    await this.#runs.endAlone(job);
  }

  async #cutOff(work: AloneWork, job: AloneJob, limitMs: number): Promise<void> {
    const whole = limitMs >= this.#gate.budgetMs && !this.#loop.signal.aborted;
    const goesOn = this.#children().includes(job.name);
    if (whole) this.#cutShort.delete(job.id);
    else this.#cutShort.add(job.id);
    if (whole && !goesOn) return work.end(job, tooLong);
    if (whole) await this.#runs.needChild(job);
    await this.#runs.release([job]);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
