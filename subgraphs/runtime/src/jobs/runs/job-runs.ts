import type { AloneRun } from "./job-gate.js";

/** Runs statements on the job queue's pool, as the `_worker` role. */
export interface JobSql {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** A job that a process has taken. `retryCount` distinguishes this run from the job's other runs. */
export interface TakenJob {
  readonly id: string;
  readonly name: string;
  readonly retryCount: number;
}

/** A job that must run alone or in a child process. */
export interface AloneJob extends TakenJob {
  readonly data: object;
  readonly retryLimit: number;
  readonly expireSeconds: number;
}

/** How many process deaths a job survives beside others, and again when it runs alone. */
const interruptionLimit = 3;
/** After so many outages an interruption counts as an attempt, because the job may be the cause. */
const uncountedLimit = 10;

/**
 * Stores which process runs which job. A run that was interrupted does not count as an attempt: the retry limit rises
 * by one, so that pg-boss gives the next run another number and refuses the old run's results.
 */
export class JobRuns {
  readonly #sql: JobSql;
  readonly #schema: string;
  readonly #processId: string;

  constructor(sql: JobSql, schema: string, processId: string) {
    this.#sql = sql;
    this.#schema = schema;
    this.#processId = processId;
  }

  /** Notes a run's start. From now on this process's death counts as an interruption. */
  async note({ id, name, retryCount }: TakenJob, isStarted: boolean): Promise<void> {
    await this.#rows(
      `insert into ${this.#schema}.job_runs as run (job_id, queue, process_id, retry_count, started_at)
       values ($1, $2, $3, $4, case when $5 then clock_timestamp() end)
       on conflict (job_id) do update set queue = excluded.queue, process_id = excluded.process_id,
         retry_count = excluded.retry_count, started_at = excluded.started_at, alone = false`,
      [id, name, this.#processId, retryCount, isStarted],
    );
  }

  /**
   * Gives this process's unfinished jobs back. A planned stop and an outage do not count as attempts. `isBlameless`:
   * the jobs cannot have caused the outage. Returns their IDs.
   */
  async release(jobs: readonly TakenJob[], { delaySeconds = 0, isBlameless = false } = {}): Promise<Set<string>> {
    if (jobs.length === 0) return new Set();
    const releasedRows = await this.#rows<{ id: string }>(
      `with given as (
         select * from unnest($1::uuid[], $2::text[], $3::int[]) as given (id, name, retry_count)),
       freed as (
         update ${this.#schema}.job job set state = 'retry', retry_limit = retry_limit + 1,
           start_after = ${this.#schema}.job_now() + $4 * interval '1 s'
         from given left join ${this.#schema}.job_runs run on run.job_id = given.id
         where job.name = given.name and job.id = given.id and job.retry_count = given.retry_count
           and job.state = 'active' and ($4::float8 = 0 or $5 or coalesce(run.uncounted, 0) < ${uncountedLimit})
         returning job.id),
       noted as (
         update ${this.#schema}.job_runs run set process_id = null,
           uncounted = uncounted + case when $4 > 0 and not $5 then 1 else 0 end
         from freed where run.job_id = freed.id)
       select id from freed`,
      [
        jobs.map(({ id }) => id),
        jobs.map(({ name }) => name),
        jobs.map(({ retryCount }) => retryCount),
        delaySeconds,
        isBlameless,
      ],
    );
    return new Set(releasedRows.map(({ id }) => id));
  }

  /**
   * Frees these processes' jobs. `haveDied`: each started job was interrupted; a job that was interrupted too often
   * moves to the queue for jobs that run alone.
   */
  async free(
    processes: readonly string[],
    haveDied: boolean,
  ): Promise<{ id: string; queue: string; interruptions: number }[]> {
    return this.#rows(
      `with held as (
         select job.name, job.id, run.alone, $2 and run.started_at is not null as died
         from ${this.#schema}.job_runs run
         join ${this.#schema}.job job on job.name = run.queue and job.id = run.job_id
           and job.retry_count = run.retry_count and job.state = 'active'
         where run.process_id = any($1::uuid[])
         for update of job),
       noted as (
         update ${this.#schema}.job_runs run set process_id = null,
           interruptions = interruptions + case when died and not held.alone then 1 else 0 end,
           alone_interruptions = alone_interruptions + case when died and held.alone then 1 else 0 end,
           queue = case
             when died and interruptions + 1 >= ${interruptionLimit} and held.name !~ '[.](alone|dead)$'
             then held.name || '.alone' else held.name end
         from held where run.job_id = held.id
         returning held.name, run.job_id as id, run.queue, run.interruptions),
       moved as (
         update ${this.#schema}.job job set state = 'retry', retry_limit = retry_limit + 1, name = noted.queue,
           start_after = ${this.#schema}.job_now()
         from noted where job.name = noted.name and job.id = noted.id)
       select id, queue, interruptions from noted`,
      [processes, haveDied],
    );
  }

  /** Frees jobs that were taken but never noted, because the process or the database died in between. */
  async freeUnnoted(queues: readonly string[], atOnce: boolean): Promise<number> {
    const freedRows = await this.#rows(
      `update ${this.#schema}.job job set state = 'retry', retry_limit = retry_limit + 1,
         start_after = ${this.#schema}.job_now()
       where name = any($1) and state = 'active' and ($2 or started_on < ${this.#schema}.job_now() - interval '20 s')
         and not exists (select from ${this.#schema}.job_runs run
           where run.job_id = job.id and run.retry_count = job.retry_count and run.process_id is not null)
       returning id`,
      [queues, atOnce],
    );
    return freedRows.length;
  }

  /** This process's jobs, according to the database. */
  async held(): Promise<TakenJob[]> {
    return this.#rows<{ id: string; name: string; retryCount: number } & Record<string, unknown>>(
      `select job.id, job.name, job.retry_count as "retryCount" from ${this.#schema}.job_runs run
       join ${this.#schema}.job job on job.name = run.queue and job.id = run.job_id
         and job.retry_count = run.retry_count and job.state = 'active'
       where run.process_id = $1`,
      [this.#processId],
    );
  }

  /** The next job to run alone or in a child process, for the tenant that has waited longest for such a run. */
  async nextAlone(
    queues: readonly string[],
    inChild: boolean,
  ): Promise<{ id: string; died: boolean; name: string } | undefined> {
    const [next] = await this.#rows<{ id: string; name: string; died: boolean }>(
      `select job.id, job.name, coalesce(run.alone_interruptions, 0) >= ${interruptionLimit} as died
       from ${this.#schema}.job job left join ${this.#schema}.job_runs run on run.job_id = job.id
       left join lateral (select max(started_at) as at from ${this.#schema}.alone_runs alone
         where alone.group_id = job.group_id) last on true
       where job.name = any($1) and job.state < 'active' and job.start_after <= ${this.#schema}.job_now()
         and coalesce(run.in_child, false) = $2
       order by died desc, last.at nulls first, job.created_on limit 1`,
      [queues, inChild],
    );
    return next;
  }

  /**
   * Takes a job for a run alone and notes the run in the same statement. With `inChild`, this process's death does not
   * count as an interruption. Undefined when another process was faster.
   */
  async takeAlone({ id, name }: { id: string; name: string }, inChild: boolean): Promise<AloneJob | undefined> {
    const [takenJob] = await this.#rows<AloneJob & Record<string, unknown>>(
      `with taken as (
         update ${this.#schema}.job set state = 'active', started_on = ${this.#schema}.job_now(),
           retry_count = retry_count + case when started_on is null then 0 else 1 end
         where name = $2 and id = $1 and state < 'active'
         returning id, name, data, group_id, retry_count, retry_limit, expire_seconds),
       noted as (
         insert into ${this.#schema}.job_runs as run (job_id, queue, process_id, retry_count, started_at, alone)
         select id, name, $3, retry_count, case when not $4 then clock_timestamp() end, true from taken
         on conflict (job_id) do update set queue = excluded.queue, process_id = excluded.process_id,
           retry_count = excluded.retry_count, started_at = excluded.started_at, alone = true),
       alone as (
         insert into ${this.#schema}.alone_runs (job_id, retry_count, group_id, in_child)
         select id, retry_count, group_id, $4 from taken)
       select id, name, data, retry_count as "retryCount", retry_limit as "retryLimit",
         expire_seconds as "expireSeconds" from taken`,
      [id, name, this.#processId, inChild],
    );
    return takenJob;
  }

  /** Notes that the job runs in child processes from now on. */
  async needChild({ id }: TakenJob): Promise<void> {
    await this.#rows(`update ${this.#schema}.job_runs set in_child = true where job_id = $1`, [id]);
  }

  /** Notes that the child process died during this run. */
  async noteDeath({ id, retryCount }: TakenJob): Promise<void> {
    await this.#rows(
      `update ${this.#schema}.job_runs set alone_interruptions = alone_interruptions + 1
       where job_id = $1 and retry_count = $2 and process_id = $3`,
      [id, retryCount, this.#processId],
    );
  }

  async endAlone({ id, retryCount }: TakenJob): Promise<void> {
    await this.#rows(
      `update ${this.#schema}.alone_runs set ended_at = clock_timestamp() where job_id = $1 and retry_count = $2`,
      [id, retryCount],
    );
  }

  /** The runs alone that still count in this process's window. */
  async recentAlone(): Promise<AloneRun[]> {
    const runs = await this.#rows<{ startedAt: number; endedAt: number | null }>(
      `select (extract(epoch from started_at) * 1000)::float8 as "startedAt",
         (extract(epoch from ended_at) * 1000)::float8 as "endedAt"
       from ${this.#schema}.alone_runs where started_at > now() - interval '6 minutes' and not in_child`,
    );
    return runs.map(({ startedAt, endedAt }) => ({ startedAt, endedAt: endedAt ?? undefined }));
  }

  /** Makes the job's next failure its last one. Returns false when another process has taken the run over. */
  async exhaust({ id, name, retryCount }: { id: string; name: string; retryCount?: number }): Promise<boolean> {
    const exhaustedRows = await this.#rows(
      `update ${this.#schema}.job set retry_limit = retry_count where name = $2 and id = $1
         and ($3::int is null and state < 'active' or retry_count = $3 and state = 'active') returning id`,
      [id, name, retryCount ?? null],
    );
    return exhaustedRows.length > 0;
  }

  /** Deletes notes about jobs that have ended. */
  async forget(): Promise<void> {
    await this.#rows(
      `delete from ${this.#schema}.job_runs where job_id in (
         select run.job_id from ${this.#schema}.job_runs run
         where not exists (select from ${this.#schema}.job job
           where job.name = run.queue and job.id = run.job_id and job.state < 'completed')
         limit 10000)`,
    );
    await this.#rows(`delete from ${this.#schema}.alone_runs where started_at < now() - interval '1 hour'`);
  }

  async #rows<R extends object>(text: string, values?: unknown[]): Promise<R[]> {
    return (await this.#sql.executeSql(text, values)).rows as R[];
  }
}
