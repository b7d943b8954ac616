import type { JobWithMetadata, PgBoss } from "pg-boss";
import { maxRunningLimit, type TenantPayload } from "../definitions/job-definition.js";
import type { JobProcess } from "./job-process.js";

interface Worker {
  id: string;
  /** More than one while the handler of an expired job continues. */
  running: number;
}

interface QueueWork {
  readonly queue: string;
  readonly concurrency: number;
  readonly concurrencyPerTenant: number;
  readonly limitInPayload?: true | undefined;
  readonly run: (taken: JobWithMetadata<TenantPayload>) => Promise<void>;
}

/** `send_jobs` stores the limit of a payload as the tier of the job. */
const runningLimits = Object.fromEntries(
  Array.from({ length: maxRunningLimit }, (_, place) => [String(place + 1), place + 1]),
);

/**
 * The interval after which a worker looks without a wake-up. All workers of a queue together look at most every two
 * seconds, however many there are.
 */
const pollSeconds = (concurrency: number): number => Math.max(30, 2 * concurrency);

/** The workers of pg-boss, which are woken when a job may be waiting. */
export class JobWorkers {
  readonly #boss: PgBoss;
  readonly #process: JobProcess;
  readonly #workers = new Map<string, Worker[]>();
  readonly #looks: NodeJS.Timeout[] = [];

  constructor(boss: PgBoss, process: JobProcess) {
    this.#boss = boss;
    this.#process = process;
  }

  async start({ queue, concurrency, concurrencyPerTenant, limitInPayload, run }: QueueWork): Promise<void> {
    const options = {
      groupConcurrency: limitInPayload ? { default: concurrencyPerTenant, tiers: runningLimits } : concurrencyPerTenant,
      pollingIntervalSeconds: pollSeconds(concurrency),
      includeMetadata: true,
    } as const;
    const workers: Worker[] = [];
    this.#workers.set(queue, workers);
    for (let place = 0; place < concurrency; place += 1) {
      const worker = { id: "", running: 0 };
      worker.id = await this.#boss.work(queue, options, async ([taken]: JobWithMetadata<TenantPayload>[]) => {
        if (!taken) return;
        worker.running += 1;
        this.wake(queue);
        try {
          await run(taken);
        } finally {
          worker.running -= 1;
          // Otherwise the worker pauses for its polling interval after every job.
          if (!this.#process.gate.closed) this.#boss.notifyWorker(worker.id);
        }
      });
      workers.push(worker);
    }
    // Retries, delayed jobs and jobs of other processes arrive without a wake-up.
    this.#looks.push(setInterval(() => this.wake(queue), this.#process.limits.lookMs).unref());
  }

  /** Wakes one worker, since each poll costs a statement. A worker that finds a job wakes the next one. */
  wake(queue: string): void {
    if (this.#process.gate.closed) return;
    const workers = this.#workers.get(queue) ?? [];
    const next = workers.find(({ running }) => running === 0) ?? workers[0];
    if (next) this.#boss.notifyWorker(next.id);
  }

  /** Stops taking jobs. Does not wait for running jobs. */
  async stop(): Promise<void> {
    for (const look of this.#looks) clearInterval(look);
    for (const queue of this.#workers.keys()) await this.#boss.offWork(queue, { wait: false });
  }
}
