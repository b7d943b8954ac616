import type { JobWithMetadata, PgBoss } from "pg-boss";
import type { SchemaConnections } from "../../connections/schema-connections.js";
import type { Logger } from "../../telemetry/logger.js";
import type { Transaction } from "../../unit-of-work/database.js";
import { ChildDied } from "../child-processes/job-child.js";
import {
  aloneQueue,
  baseQueue,
  type DeadLetterRule,
  deadQueue,
  type JobDefinition,
  type JobEnd,
  type JobHandler,
  type JobHandlers,
  jobEnd,
  maintenance,
  runTooLong,
  type SendOptions,
  type TenantPayload,
} from "../definitions/job-definition.js";
import { AloneLane, type AloneWork } from "../runs/alone-lane.js";
import { ChildLane } from "../runs/child-lane.js";
import { HeldJobs } from "../runs/held-jobs.js";
import { JobProcess } from "../runs/job-process.js";
import { type AloneJob, JobRuns, type JobSql, type TakenJob } from "../runs/job-runs.js";
import { JobWorkers } from "../runs/job-workers.js";
import { ProcessLease } from "../runs/process-lease.js";
import { jobAccess } from "./access-functions.js";
import { attemptOf } from "./job-attempt.js";
import { JobSender } from "./job-sender.js";
import { jobTables, nameSubjects } from "./job-tables.js";
import { openBoss } from "./open-pg-boss.js";
import { createQueues, deadLetterRetryLimit, registerQueues } from "./register-queues.js";
import { uncountedFailure } from "./uncounted-failure.js";
import type { QueueHandler, WorkedQueue } from "./worked-queue.js";

export type { JobAttempt, JobDefinition } from "../definitions/job-definition.js";

const maintenancePauseMs = 15 * 60_000;

type DeadJob = JobWithMetadata<TenantPayload>;
/**
 * The job queue on pg-boss in the schema `<subgraph>_jobs`. Jobs are sent inside the transaction that makes them
 * necessary.
 */
export class JobQueue {
  /** The schema for the job tables. */
  readonly schema: string;
  readonly sql: JobSql;
  /** The role that serves requests. */
  readonly #app: string;
  readonly #boss: PgBoss;
  readonly #logger: Logger;
  readonly #process: JobProcess;
  readonly #sender: JobSender;
  readonly #workers: JobWorkers;
  readonly #worked = new Map<string, WorkedQueue>();
  readonly #held = new HeldJobs();
  readonly #runs: JobRuns;
  readonly #lease: ProcessLease;
  readonly #lane: AloneLane;
  readonly #childLane: ChildLane;
  #stopping = false;

  constructor(connections: SchemaConnections, logger: Logger, process = new JobProcess()) {
    this.#logger = logger;
    this.#process = process;
    this.schema = `${connections.schema}_jobs`;
    this.#app = connections.roles.app;
    this.#boss = openBoss(connections.worker, this.schema, logger);
    this.#sender = new JobSender(this.#boss, this.schema);
    this.sql = { executeSql: (text, values) => this.#boss.getDb().executeSql(text, values) };
    this.#workers = new JobWorkers({ boss: this.#boss, process, sql: this.sql, schema: this.schema, logger });
    this.#runs = new JobRuns(this.sql, this.schema, process.processId);
    this.#lease = new ProcessLease({ sql: this.sql, schema: this.schema, runs: this.#runs, process, logger });
    this.#lane = new AloneLane(process, this.#runs, logger, this.schema);
    this.#childLane = new ChildLane(this.#runs, logger, { lookMs: process.limits.lookMs, schema: this.schema });
  }

  async start(definitions: readonly JobDefinition<object>[]): Promise<void> {
    await this.#boss.start();
    await this.sql.executeSql(jobTables(this.schema));
    await this.sql.executeSql(jobAccess(this.schema, this.#app));
    await createQueues(this.#boss, definitions);
    await registerQueues(this.sql, this.schema, definitions);
    await nameSubjects(this.sql, this.schema, definitions);
    const queues = definitions.flatMap(({ queue }) => [queue, aloneQueue(queue), deadQueue(queue)]);
    await this.#lease.start({
      queues,
      running: () => this.#held.noted(),
      held: () => this.#held.all(),
      lose: (job) => this.#held.abort(job, "another process has taken the job over"),
    });
    this.#workers.watch();
    const end: AloneWork["end"] = (job, reason) => this.#end(job, reason);
    const workedQueues = () => [...this.#worked.values()];
    const alone = (some: readonly WorkedQueue[]) => some.map(({ job }) => aloneQueue(job.queue));
    const children = () => alone(workedQueues().filter(({ inChild }) => inChild));
    const run: AloneWork["run"] = (job, signal) => this.#runAlone(job, signal, "handle");
    await this.#lane.start({ queues: () => alone(workedQueues()), run, end }, children);
    this.#childLane.start({ queues: children, run: (job, signal) => this.#runAlone(job, signal, "inChild"), end });
  }

  /** Deletes a queue that is no longer used, with its jobs and dead letters. */
  async remove(queue: string): Promise<void> {
    await this.#boss.deleteQueue(queue);
    for (const beside of [aloneQueue(queue), deadQueue(queue)]) await this.#boss.deleteQueue(beside);
  }

  /** Sends a job within the transaction. Workers are woken after the commit. */
  send<P extends TenantPayload>(
    transaction: Transaction,
    job: JobDefinition<P>,
    payload: P,
    options: SendOptions = {},
  ): Promise<void> {
    return this.sendAll(transaction, job, [payload], options);
  }

  /** Sends several jobs in one statement, as `send`. */
  async sendAll<P extends TenantPayload>(
    transaction: Transaction,
    job: JobDefinition<P>,
    payloads: readonly P[],
    options: SendOptions = {},
  ): Promise<void> {
    await this.#sender.send(transaction, job, payloads, options);
    transaction.afterCommit(() => this.#workers.wake(job.queue));
  }

  /** Sends a failed job again for the transaction's tenant. A job can be sent again once. */
  async redrive(transaction: Transaction, { queue }: JobDefinition<TenantPayload>, jobId: string): Promise<void> {
    await this.#sender.redrive(transaction, jobId);
    transaction.afterCommit(() => this.#workers.wake(queue));
  }

  /** Runs a queue's jobs. `dead` is the rule for jobs that have used up their attempts. */
  async work<P extends TenantPayload>(
    job: JobDefinition<P>,
    run: JobHandler<P> | JobHandlers<P>,
    dead: DeadLetterRule<P>,
  ): Promise<void> {
    const { here: handle, inChild } = typeof run === "function" ? { here: run, inChild: undefined } : run;
    const workedQueue = { job, handle, inChild, dead } as unknown as WorkedQueue;
    this.#worked.set(job.queue, workedQueue);
    const { queue, concurrency, concurrencyPerTenant, limitInPayload } = job;
    const limits = { concurrency, concurrencyPerTenant, limitInPayload };
    await this.#workers.start({ queue, ...limits, run: (takenJob) => this.#run(job, takenJob, workedQueue.handle) });
    const deadJob = { ...job, queue: deadQueue(queue), retryLimit: deadLetterRetryLimit };
    const abandon = ({ data, sourceOutput }: DeadJob) => this.abandon(workedQueue.job, data, jobEnd(sourceOutput));
    const runDead = (takenJob: DeadJob) => this.#run(deadJob, takenJob, () => abandon(takenJob));
    await this.#workers.start({ queue: deadJob.queue, concurrency: 1, concurrencyPerTenant: 1, run: runDead });
  }

  /** Ends the row when its job is not tried again. Maintenance jobs are sent again later. */
  async abandon<P extends TenantPayload>(job: JobDefinition<P>, payload: P, end: JobEnd): Promise<void> {
    const dead = this.deadLetterRule(job);
    const facts = { queue: job.queue, tenantId: payload.tenantId, ...end };
    if (dead !== maintenance) {
      await dead.abandoned(payload, end);
      this.#logger.error(facts, "a job has failed for good, and the row that waited for it was ended");
      return;
    }
    // The job may be sent twice when the process dies here. The second maintenance run finds nothing to do.
    const startAfter = new Date(Date.now() + maintenancePauseMs);
    await this.#sender.sendAgain(job, payload, startAfter);
    this.#logger.error(facts, "a maintenance job failed and is tried again later");
  }

  /** Definitions for the queues with workers. */
  definitions(): JobDefinition<TenantPayload>[] {
    return [...this.#worked.values()].map(({ job }) => job);
  }

  deadLetterRule<P extends TenantPayload>({ queue }: JobDefinition<P>): DeadLetterRule<P> {
    const workedQueue = this.#worked.get(queue);
    if (!workedQueue) throw new Error(`The queue ${queue} has no worker`);
    return workedQueue.dead as unknown as DeadLetterRule<P>;
  }

  /** Stops. Jobs that do not end in time are given back, so that another process or the next start runs them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#workers.stop();
    await Promise.all([this.#lane.stop(), this.#childLane.stop()]);
    const { graceMs, abortMs } = this.#process.limits;
    await this.#held.ended(graceMs);
    const remainingJobs = this.#held.all();
    await this.#runs
      .release(remainingJobs)
      .catch((error: unknown) =>
        this.#logger.warn({ err: error }, "the unfinished jobs of this process were not given back"),
      );
    for (const job of remainingJobs) this.#held.abort(job, "the process stops");
    await this.#held.ended(abortMs);
    await this.#lease
      .stop()
      .catch((error: unknown) => this.#logger.warn({ err: error }, "the lease of this process was not ended"));
    await this.#boss.stop({ graceful: true, timeout: abortMs });
  }

  async #run(job: JobDefinition<object>, jobRow: JobWithMetadata<TenantPayload>, handle: QueueHandler): Promise<void> {
    const heldJob = this.#held.hold(jobRow);
    const attempt = attemptOf(job, jobRow);
    try {
      await this.#enter(jobRow);
      heldJob.noted();
      const signal = AbortSignal.any([jobRow.signal, heldJob.signal]);
      await this.#inside(signal, () => handle(jobRow.data, { ...attempt, signal }));
    } catch (error) {
      const facts = { err: error, queue: job.queue, jobId: jobRow.id, attempt: attempt.attempt };
      if (await this.#costsNothing(error, jobRow)) this.#logger.warn(facts, "a job was interrupted and will run again");
      else this.#logger.warn(facts, "a job failed");
      throw error;
    } finally {
      heldJob.release();
    }
  }

  /** Leaves the gate when the job expires, so that a handler that continues does not block runs alone. */
  async #inside(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    let inside = true;
    const leave = () => {
      if (inside) this.#process.gate.leave();
      inside = false;
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      await work();
    } finally {
      signal.removeEventListener("abort", leave);
      leave();
    }
  }

  /** Waits while another job runs alone, then notes the run and runs the handler. */
  async #enter(takenJob: TakenJob): Promise<void> {
    const { gate } = this.#process;
    if (gate.closed) await this.#runs.note(takenJob, false);
    while (gate.closed) await gate.closed;
    gate.enter();
    try {
      await this.#runs.note(takenJob, true);
      if (this.#stopping) throw new Error("the process stops");
    } catch (error) {
      gate.leave();
      throw error;
    }
  }

  /** Whether the job was given back, because its failure does not count as an attempt. */
  async #costsNothing(error: unknown, takenJob: TakenJob): Promise<boolean> {
    const { outageDelaySeconds } = this.#process.limits;
    const uncountedEnd = uncountedFailure(error, { isStopping: this.#stopping, outageDelaySeconds });
    if (!uncountedEnd) return false;
    const releasedIds = await this.#runs.release([takenJob], uncountedEnd).catch(() => undefined);
    // A database that does not answer cannot store the failure either, so the lease gives the job back.
    return this.#stopping || releasedIds === undefined || releasedIds.has(takenJob.id);
  }

  async #runAlone(takenJob: AloneJob, signal: AbortSignal, way: "handle" | "inChild"): Promise<boolean> {
    const workedQueue = this.#worked.get(baseQueue(takenJob.name));
    const handle = workedQueue?.[way];
    if (!handle) throw new Error(`The queue ${takenJob.name} has no worker`);
    const heldJob = this.#held.hold(takenJob);
    const expiry = AbortSignal.timeout(takenJob.expireSeconds * 1000);
    heldJob.noted();
    try {
      const attempt = attemptOf(workedQueue.job, takenJob);
      await handle(takenJob.data as TenantPayload, {
        ...attempt,
        signal: AbortSignal.any([signal, expiry, heldJob.signal]),
      });
      await this.#boss.complete(takenJob.name, { id: takenJob.id, retryCount: takenJob.retryCount });
    } catch (error) {
      if (signal.aborted) return false;
      this.#logger.warn({ err: error, queue: takenJob.name, jobId: takenJob.id }, "a job failed while it ran alone");
      await this.#failAlone(takenJob, expiry.aborted ? runTooLong : error);
    } finally {
      heldJob.release();
    }
    return true;
  }

  async #failAlone(takenJob: AloneJob, error: unknown): Promise<void> {
    if (error instanceof ChildDied) {
      await this.#runs.noteDeath(takenJob);
      await this.#runs.release([takenJob]);
      return;
    }
    if (await this.#costsNothing(error, takenJob)) return;
    await this.#boss.fail(takenJob.name, { id: takenJob.id, retryCount: takenJob.retryCount }, error as object);
  }

  async #end(job: { id: string; name: string; retryCount?: number }, reason: object): Promise<void> {
    if (await this.#runs.exhaust(job)) await this.#boss.fail(job.name, job.id, reason);
  }
}
