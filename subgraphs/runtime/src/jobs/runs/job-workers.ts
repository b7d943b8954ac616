import type { JobWithMetadata, PgBoss } from "pg-boss";
import { PeriodicLoop } from "../../loops/periodic-loop.js";
import type { Logger } from "../../telemetry/logger.js";
import { maxRunningLimit, type TenantPayload } from "../definitions/job-definition.js";
import type { JobProcess } from "./job-process.js";
import type { JobSql } from "./job-runs.js";

interface Worker {
  /** Undefined while the worker starts. */
  id: string | undefined;
  /** A wake-up came while the worker started. */
  woken: boolean;
  /** More than one while an expired job's handler continues. */
  running: number;
}

interface QueueWork {
  readonly queue: string;
  readonly concurrency: number;
  readonly concurrencyPerTenant: number;
  readonly limitInPayload?: true | undefined;
  readonly run: (taken: JobWithMetadata<TenantPayload>) => Promise<void>;
}

/** `send_jobs` stores a payload's limit as the job's tier. */
const runningLimits = Object.fromEntries(
  Array.from({ length: maxRunningLimit }, (_, place) => [String(place + 1), place + 1]),
);

/** A queue starts with so many workers, and gets more while all are busy. Each one polls at its start. */
const workersAtStart = 4;

/** The listed queues with a job whose time has come. */
const dueQueues = (schema: string) => `
  select queue from unnest($1::text[]) as queue
  where exists (
    select from ${schema}.job where name = queue and state < 'active' and not blocked and start_after <= now())`;

interface Queue {
  readonly work: QueueWork;
  readonly workers: Worker[];
}

interface WorkersParts {
  readonly boss: PgBoss;
  readonly process: JobProcess;
  readonly sql: JobSql;
  readonly schema: string;
  readonly logger: Logger;
}

/** The pg-boss workers, which are woken when a job may be waiting. */
export class JobWorkers {
  readonly #boss: PgBoss;
  readonly #process: JobProcess;
  readonly #queues = new Map<string, Queue>();
  readonly #looks: PeriodicLoop;
  readonly #sql: JobSql;
  readonly #dueQueues: string;
  #stopped = false;

  constructor({ boss, process, sql, schema, logger }: WorkersParts) {
    this.#boss = boss;
    this.#process = process;
    this.#sql = sql;
    this.#dueQueues = dueQueues(schema);
    this.#looks = new PeriodicLoop({
      name: `due jobs ${schema}`,
      periodMs: process.limits.lookMs,
      logger,
      failure: "no job was looked for that came without a wake-up",
    });
  }

  /** Looks for retries, delayed jobs and jobs from other processes, which arrive without a wake-up. */
  watch(): void {
    this.#looks.start(() => this.#look());
  }

  /** One statement for all queues, since most are usually empty. */
  async #look(): Promise<void> {
    if (this.#queues.size === 0) return;
    const { rows } = await this.#sql.executeSql(this.#dueQueues, [[...this.#queues.keys()]]);
    for (const { queue } of rows as { queue: string }[]) this.wake(queue);
  }

  async start(work: QueueWork): Promise<void> {
    const queue = { work, workers: [] };
    this.#queues.set(work.queue, queue);
    for (let place = 0; place < Math.min(work.concurrency, workersAtStart); place += 1) await this.#add(queue);
  }

  async #add({ work, workers }: Queue): Promise<void> {
    const { queue, concurrencyPerTenant, limitInPayload, run } = work;
    const options = {
      groupConcurrency: limitInPayload ? { default: concurrencyPerTenant, tiers: runningLimits } : concurrencyPerTenant,
      pollingIntervalSeconds: 30,
      includeMetadata: true,
    } as const;
    const worker: Worker = { id: undefined, woken: false, running: 0 };
    workers.push(worker);
    worker.id = await this.#boss.work(queue, options, async ([takenJob]: JobWithMetadata<TenantPayload>[]) => {
      if (!takenJob) return;
      worker.running += 1;
      this.wake(queue);
      try {
        await run(takenJob);
      } finally {
        worker.running -= 1;
        // Otherwise the worker pauses for its polling interval after every job.
        if (worker.id !== undefined && !this.#process.gate.closed) this.#boss.notifyWorker(worker.id);
      }
    });
    if (worker.woken) this.#boss.notifyWorker(worker.id);
  }

  /** Wakes one worker, since each poll costs a statement. A worker that finds a job wakes the next one. */
  wake(name: string): void {
    const queue = this.#queues.get(name);
    if (!queue || this.#stopped || this.#process.gate.closed) return;
    const { work, workers } = queue;
    const idle = workers.find(({ running }) => running === 0);
    if (!idle && workers.length < work.concurrency) {
      // It fails only when the queue stops.
      this.#add(queue).catch(() => undefined);
      return;
    }
    const next = idle ?? workers[0];
    if (next?.id === undefined) {
      if (next) next.woken = true;
    } else this.#boss.notifyWorker(next.id);
  }

  /** Stops taking jobs. Does not wait for running jobs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looks.stop();
    for (const queue of this.#queues.keys()) await this.#boss.offWork(queue, { wait: false });
  }
}
