import { PeriodicLoop } from "../../loops/periodic-loop.js";
import type { Logger } from "../../telemetry/logger.js";
import type { JobProcess } from "./job-process.js";
import type { JobRuns, JobSql, TakenJob } from "./job-runs.js";

const lapsedSeconds = 20;
/** The time that pg-boss may take to store a job's end after its handler. Until then the job looks abandoned. */
const settledMs = 10_000;
const forgetMs = 60_000;

/** The facts about a queue's jobs that the lease needs. */
interface LeasedJobs {
  readonly queues: readonly string[];
  /** The jobs whose handlers run, and the ones among them that are noted as running. */
  held(): readonly TakenJob[];
  running(): readonly TakenJob[];
  /** Called when another process has taken a job over. */
  lose(job: TakenJob): void;
}

/**
 * This process's lease: one row that is renewed regularly. It frees the jobs that belong to processes whose row was not
 * renewed for 20 s, and own jobs that this process no longer runs. Jobs from earlier processes on the same data
 * directory are freed at the start.
 */
export class ProcessLease {
  readonly #sql: JobSql;
  readonly #schema: string;
  readonly #runs: JobRuns;
  readonly #process: JobProcess;
  readonly #logger: Logger;
  #held: LeasedJobs = { queues: [], held: () => [], running: () => [], lose: () => undefined };
  readonly #loop: PeriodicLoop;
  #lastBeat = 0;
  #steadySince = 0;
  #forgotAt = 0;
  /** Jobs that this process did not run at the last renewal. */
  #left = new Map<string, number>();

  constructor(parts: { sql: JobSql; schema: string; runs: JobRuns; process: JobProcess; logger: Logger }) {
    this.#sql = parts.sql;
    this.#schema = parts.schema;
    this.#runs = parts.runs;
    this.#process = parts.process;
    this.#logger = parts.logger;
    this.#loop = new PeriodicLoop({
      name: `lease on jobs ${parts.schema}`,
      periodMs: parts.process.limits.beatMs,
      logger: parts.logger,
      failure: "the lease of this process on its jobs was not renewed",
    });
  }

  /** Starts the lease. Call it before any job is taken. */
  async start(leasedJobs: LeasedJobs): Promise<void> {
    this.#held = leasedJobs;
    const { processId, former } = this.#process;
    await this.#renew();
    for (const isStopped of [true, false]) {
      const formerProcesses = former.filter((process) => process.stopped === isStopped);
      if (formerProcesses.length > 0)
        await this.#free(
          formerProcesses.map((process) => process.processId),
          !isStopped,
        );
    }
    const [others] = await this.#rows<{ exist: boolean }>(
      `select exists (select from ${this.#schema}.job_processes
         where process_id <> $1 and beat_at > now() - interval '${lapsedSeconds} s') as exist`,
      [processId],
    );
    await this.#runs.freeUnnoted(leasedJobs.queues, !others?.exist);
    this.#loop.start(() => this.#beat());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#rows(`delete from ${this.#schema}.job_processes where process_id = $1`, [this.#process.processId]);
  }

  async #beat(): Promise<void> {
    const running = this.#held.running();
    await this.#renew();
    const heldJobs = await this.#runs.held();
    this.#loseWhatIsGone(running, heldJobs);
    await this.#releaseWhatWasLeft(heldJobs);
    if (this.#lastBeat - this.#steadySince >= this.#process.limits.steadyMs) await this.#reap();
    if (this.#lastBeat - this.#forgotAt < forgetMs) return;
    this.#forgotAt = this.#lastBeat;
    await this.#runs.forget();
  }

  async #renew(): Promise<void> {
    await this.#rows(
      `insert into ${this.#schema}.job_processes (process_id) values ($1)
       on conflict (process_id) do update set beat_at = clock_timestamp()`,
      [this.#process.processId],
    );
    const now = performance.now();
    if (now - this.#lastBeat > this.#process.limits.beatMs * 2 || this.#steadySince === 0) this.#steadySince = now;
    this.#lastBeat = now;
  }

  /** Aborts jobs that another process took over while this process was frozen or disconnected. */
  #loseWhatIsGone(running: readonly TakenJob[], heldJobs: readonly TakenJob[]): void {
    const ours = new Set(heldJobs.map(runKey));
    for (const job of running) if (!ours.has(runKey(job))) this.#held.lose(job);
  }

  /** Frees jobs whose handler has ended while the database was away, so that their end was not stored. */
  async #releaseWhatWasLeft(heldJobs: readonly TakenJob[]): Promise<void> {
    const running = new Set(this.#held.held().map(runKey));
    const remainingJobs = heldJobs.filter((job) => !running.has(runKey(job)));
    const since = this.#left;
    this.#left = new Map(remainingJobs.map((job) => [runKey(job), since.get(runKey(job)) ?? this.#lastBeat]));
    const overdue = remainingJobs.filter(
      (job) => this.#lastBeat - (since.get(runKey(job)) ?? this.#lastBeat) >= settledMs,
    );
    await this.#runs.release(overdue);
  }

  async #reap(): Promise<void> {
    const lapsedRows = await this.#rows<{ process_id: string }>(
      `select process_id from ${this.#schema}.job_processes
       where process_id <> $1 and beat_at < now() - interval '${lapsedSeconds} s'
         and pg_postmaster_start_time() < now() - interval '${this.#process.limits.steadyMs} ms'`,
      [this.#process.processId],
    );
    if (lapsedRows.length > 0)
      await this.#free(
        lapsedRows.map(({ process_id: processId }) => processId),
        true,
      );
    await this.#runs.freeUnnoted(this.#held.queues, false);
  }

  async #free(processes: readonly string[], haveDied: boolean): Promise<void> {
    const freedCount = await this.#runs.free(processes, haveDied);
    await this.#rows(`delete from ${this.#schema}.job_processes where process_id = any($1)`, [processes]);
    if (freedCount.length > 0)
      this.#logger.info(
        { processes, died: haveDied, jobs: freedCount.length },
        "the jobs of a dead process were freed",
      );
  }

  async #rows<R extends object>(text: string, values: unknown[]): Promise<R[]> {
    return (await this.#sql.executeSql(text, values)).rows as R[];
  }
}

const runKey = ({ id, retryCount }: TakenJob): string => `${id}:${retryCount}`;
