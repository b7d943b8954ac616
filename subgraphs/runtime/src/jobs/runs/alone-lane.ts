import type { Logger } from "../../telemetry/logger.js";
import { aloneBudgetMs, type JobGate } from "./job-gate.js";
import type { JobProcess } from "./job-process.js";
import type { AloneJob, JobRuns } from "./job-runs.js";
import { LookLoop } from "./poll-loop.js";

/** What a lane needs of the queue whose jobs it runs. */
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

export const workerDied = {
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
  readonly #loop: LookLoop;
  /** Cut off before they had all the time that a job may take. */
  readonly #cutShort = new Set<string>();
  #children: () => readonly string[] = () => [];

  constructor({ gate, limits }: JobProcess, runs: JobRuns, logger: Logger) {
    this.#gate = gate;
    this.#runs = runs;
    this.#logger = logger;
    this.#loop = new LookLoop(logger, limits.lookMs);
  }

  /** `children`: the queues whose jobs may go on in a child process. */
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
      const needed = this.#cutShort.has(next.id) ? this.#gate.budgetMs : this.#gate.smallestRunMs;
      const ran = await this.#gate.alone(needed, async (limitMs) => {
        const job = await this.#runs.takeAlone(next, false);
        if (job) await this.#run(work, job, limitMs);
      });
      if (!ran) return;
    }
  }

  async #run(work: AloneWork, job: AloneJob, limitMs: number): Promise<void> {
    this.#logger.warn({ queue: job.name, jobId: job.id }, "a job that has interrupted its process runs alone");
    const limit = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([this.#loop.signal, limit]);
    const running = work.run(job, signal);
    running.catch(() => undefined);
    // a handler that does not heed the signal goes on, but what it writes about the job is refused
    const ended = await Promise.race([running, aborted(signal).then(() => false)]);
    if (ended) this.#cutShort.delete(job.id);
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
