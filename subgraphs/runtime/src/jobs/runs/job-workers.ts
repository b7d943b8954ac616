import type { JobWithMetadata, PgBoss } from "pg-boss";
import type { TenantPayload } from "../definitions/job-definition.js";
import type { JobProcess } from "./job-process.js";

interface Worker {
  id: string;
  /** More than one while the handler of an expired job goes on. */
  running: number;
}

interface QueueWork {
  readonly queue: string;
  readonly concurrency: number;
  readonly concurrencyPerTenant: number;
  readonly run: (taken: JobWithMetadata<TenantPayload>) => Promise<void>;
}

/** pg-boss's workers, woken when there may be something for them. */
export class JobWorkers {
  readonly #boss: PgBoss;
  readonly #process: JobProcess;
  readonly #workers = new Map<string, Worker[]>();
  readonly #looks: NodeJS.Timeout[] = [];

  constructor(boss: PgBoss, process: JobProcess) {
    this.#boss = boss;
    this.#process = process;
  }

  async start({ queue, concurrency, concurrencyPerTenant, run }: QueueWork): Promise<void> {
    const options = {
      groupConcurrency: concurrencyPerTenant,
      pollingIntervalSeconds: 30,
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
          // else it pauses for its polling interval after every job, whatever waits in the queue
          if (!this.#process.gate.closed) this.#boss.notifyWorker(worker.id);
        }
      });
      workers.push(worker);
    }
    // retries, delayed jobs and those of other processes come without a wake-up
    this.#looks.push(setInterval(() => this.wake(queue), this.#process.limits.lookMs).unref());
  }

  /** One worker looks, since looking costs a statement each; who finds a job wakes the next. */
  wake(queue: string): void {
    if (this.#process.gate.closed) return;
    const workers = this.#workers.get(queue) ?? [];
    const next = workers.find(({ running }) => running === 0) ?? workers[0];
    if (next) this.#boss.notifyWorker(next.id);
  }

  /** Takes no further job; what runs is not waited for. */
  async stop(): Promise<void> {
    for (const look of this.#looks) clearInterval(look);
    for (const queue of this.#workers.keys()) await this.#boss.offWork(queue, { wait: false });
  }
}
