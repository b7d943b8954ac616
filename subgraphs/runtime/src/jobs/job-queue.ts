import { type Job as BossJob, PgBoss } from "pg-boss";
import type { Transaction } from "../db/database.js";
import type { SchemaConnections } from "../db/roles.js";
import type { Logger } from "../telemetry/logger.js";

/** One kind of background work. The payload holds ids, never a row and never a secret. */
export interface JobDefinition<Payload extends object> {
  readonly queue: string;
  /** Tries after the first one. */
  readonly retryLimit: number;
  readonly retryDelaySeconds: number;
  /** Doubles the delay with each try. */
  readonly retryBackoff?: true;
  readonly expireInSeconds: number;
  /** Jobs at once in this process. */
  readonly concurrency: number;
  /** Jobs of one tenant at once, in all processes together; the payload's `tenantId` is the group. */
  readonly concurrencyPerTenant: number;
  /** Tenants take turns, each in its own order; without it jobs are taken in the order they were sent. */
  readonly fair?: true;
  readonly payload?: Payload;
}

export interface TenantPayload {
  tenantId: string;
}

export interface JobAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly lastAttempt: boolean;
  /** Aborted when the job expires or the process stops. */
  readonly signal: AbortSignal;
}

export interface SendOptions {
  startAfter?: Date;
}

/**
 * Taking and finishing a job need not reach the disk at once: should the server crash within that moment the job comes
 * again, which it may at any time. Jobs are created in the transactions of their senders, which do wait.
 */
function relaxedCommits(url: string): string {
  const relaxed = new URL(url);
  relaxed.searchParams.set("options", "-c synchronous_commit=off");
  return relaxed.href;
}

const stopTimeoutMs = 15_000;

const lookIntervalMs = 2000;

interface Worker {
  id: string;
  /** More than one while the handler of an expired job goes on. */
  running: number;
}

/** pg-boss in the schema `<subgraph>_jobs`: jobs are sent inside the transaction that makes them necessary. */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #logger: Logger;
  readonly #schema: string;
  readonly #workers = new Map<string, Worker[]>();
  readonly #looks: NodeJS.Timeout[] = [];

  constructor(connections: SchemaConnections, logger: Logger) {
    this.#logger = logger;
    this.#schema = `${connections.schema}_jobs`;
    this.#boss = new PgBoss({
      connectionString: relaxedCommits(connections.worker),
      schema: this.#schema,
      createSchema: false,
      max: 5,
      schedule: false,
      superviseIntervalSeconds: 10,
      monitorIntervalSeconds: 10,
      monitorVacuum: false,
      reindex: false,
    });
    this.#boss.on("error", (error) => logger.warn({ err: error }, "job queue"));
    this.#boss.on("warning", (warning) => logger.debug({ warning }, "job queue"));
  }

  async start(definitions: readonly JobDefinition<object>[]): Promise<void> {
    await this.#boss.start();
    for (const job of definitions) {
      const dead = `${job.queue}.dead`;
      await this.#boss.createQueue(dead, { retentionSeconds: 30 * 24 * 3600 });
      await this.#boss.createQueue(job.queue, {
        retryLimit: job.retryLimit,
        retryDelay: job.retryDelaySeconds,
        retryBackoff: job.retryBackoff ?? false,
        expireInSeconds: job.expireInSeconds,
        heartbeatSeconds: 20,
        deadLetter: dead,
      });
    }
  }

  /** Joins the transaction: rolled back with it, woken after its commit. */
  async send<P extends TenantPayload>(
    transaction: Transaction,
    job: JobDefinition<P>,
    payload: P,
    options: SendOptions = {},
  ): Promise<void> {
    await this.sendAll(transaction, job, [payload], options);
  }

  /** As `send`, in one statement. */
  async sendAll<P extends TenantPayload>(
    transaction: Transaction,
    job: JobDefinition<P>,
    payloads: readonly P[],
    options: SendOptions = {},
  ): Promise<void> {
    const db = {
      executeSql: async (text: string, values?: unknown[]) => ({ rows: await transaction.execute(text, values) }),
    };
    const turn = job.fair ? await this.#nextTurn(transaction, job) : 0;
    const jobs = payloads.map((data) => ({ ...options, data, group: { id: data.tenantId }, priority: -turn }));
    await this.#boss.insert(job.queue, jobs, { db });
    transaction.afterCommit(() => this.#wake(job.queue));
  }

  /**
   * Start-time fair queueing (Goyal, Vin, Cheng 1996) with jobs of one cost: after the tenant's own last waiting job,
   * and not before what is served now.
   */
  async #nextTurn({ tenant, execute }: Transaction, { queue }: JobDefinition<object>): Promise<number> {
    const [found] = await execute<{ turn: number }>(
      `select greatest(1 + coalesce(max(-priority) filter (where group_id = $2), 0), coalesce(min(-priority), 0)) as turn
       from ${this.#schema}.job where name = $1 and state < 'active' and not blocked`,
      [queue, tenant.tenantId],
    );
    return found?.turn ?? 1;
  }

  async work<P extends TenantPayload>(
    job: JobDefinition<P>,
    handle: (payload: P, attempt: JobAttempt) => Promise<void>,
  ): Promise<void> {
    const options = {
      groupConcurrency: job.concurrencyPerTenant,
      heartbeatRefreshSeconds: 5,
      pollingIntervalSeconds: 30,
      includeMetadata: true,
    } as const;
    const workers: Worker[] = [];
    this.#workers.set(job.queue, workers);
    for (let place = 0; place < job.concurrency; place += 1) {
      const worker = { id: "", running: 0 };
      worker.id = await this.#boss.work<P>(job.queue, options, async ([taken]) => {
        if (!taken) return;
        worker.running += 1;
        this.#wake(job.queue);
        try {
          await this.#run(job, taken, handle);
        } finally {
          worker.running -= 1;
          // else it pauses for its polling interval after every job, whatever waits in the queue
          this.#boss.notifyWorker(worker.id);
        }
      });
      workers.push(worker);
    }
    // retries, delayed jobs and those of other processes come without a wake-up
    this.#looks.push(setInterval(() => this.#wake(job.queue), lookIntervalMs).unref());
  }

  /** One worker looks, since looking costs a statement each; who finds a job wakes the next. */
  #wake(queue: string): void {
    const workers = this.#workers.get(queue) ?? [];
    const next = workers.find(({ running }) => running === 0) ?? workers[0];
    if (next) this.#boss.notifyWorker(next.id);
  }

  async stop(): Promise<void> {
    for (const look of this.#looks) clearInterval(look);
    await this.#boss.stop({ graceful: true, timeout: stopTimeoutMs });
  }

  async #run<P extends object>(
    job: JobDefinition<P>,
    taken: BossJob<P>,
    handle: (payload: P, attempt: JobAttempt) => Promise<void>,
  ): Promise<void> {
    const attempt = taken.retryCount + 1;
    try {
      await handle(taken.data, { attempt, lastAttempt: attempt > job.retryLimit, signal: taken.signal });
    } catch (error) {
      this.#logger.warn({ err: error, queue: job.queue, jobId: taken.id, attempt }, "job failed");
      throw error;
    }
  }
}
