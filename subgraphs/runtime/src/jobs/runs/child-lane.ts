import { PeriodicLoop } from "../../loops/periodic-loop.js";
import type { Logger } from "../../telemetry/logger.js";
import { type AloneWork, notRun, workerDied } from "./alone-lane.js";
import type { AloneJob, JobRuns } from "./job-runs.js";

/**
 * Runs jobs that take longer than a run alone may take, each in a child process, one at a time. Other jobs run beside
 * it, since a child process's death does not affect them.
 */
export class ChildLane {
  readonly #runs: JobRuns;
  readonly #logger: Logger;
  readonly #loop: PeriodicLoop;

  constructor(runs: JobRuns, logger: Logger, { lookMs, schema }: { lookMs: number; schema: string }) {
    this.#runs = runs;
    this.#logger = logger;
    this.#loop = new PeriodicLoop({
      name: `jobs in child processes ${schema}`,
      periodMs: lookMs,
      logger,
      failure: notRun,
    });
  }

  start(work: AloneWork): void {
    this.#loop.start(() => this.#look(work));
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(work: AloneWork): Promise<void> {
    while (!this.#loop.signal.aborted && work.queues().length > 0) {
      const next = await this.#runs.nextAlone(work.queues(), true);
      if (!next) return;
      if (next.died) {
        await work.end(next, workerDied);
        continue;
      }
      const job = await this.#runs.takeAlone(next, true);
      if (job) await this.#loop.during(() => this.#run(work, job));
    }
  }

  async #run(work: AloneWork, job: AloneJob): Promise<void> {
    this.#logger.warn({ queue: job.name, jobId: job.id }, "a job that takes long alone runs in a child process");
    if (!(await work.run(job, this.#loop.signal))) await this.#runs.release([job]);
    await this.#runs.endAlone(job);
  }
}
