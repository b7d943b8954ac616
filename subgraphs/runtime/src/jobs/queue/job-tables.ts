import { advisoryLocks } from "../../db/advisory-locks.js";
import type { JobDefinition } from "../definitions/job-definition.js";
import type { JobSql } from "../runs/job-runs.js";

/**
 * The platform's tables beside pg-boss's own in `<subgraph>_jobs`: the processes that run jobs, the job that each one
 * runs, and the times of runs alone. Two indexes find a tenant's unfinished and failed jobs, and a row's live job. The
 * `_worker` role, which owns the schema, creates them. Heartbeats of single jobs and tables without `in_child` come
 * from earlier releases.
 */
export const jobTables = (schema: string): string => `
  begin;
  select pg_advisory_xact_lock(${advisoryLocks.jobTables});
  create table if not exists ${schema}.job_processes (
    process_id uuid primary key,
    beat_at timestamptz not null default clock_timestamp()
  );
  create table if not exists ${schema}.job_runs (
    job_id uuid primary key,
    queue text not null,
    process_id uuid,
    retry_count integer not null,
    started_at timestamptz,
    alone boolean not null default false,
    interruptions integer not null default 0,
    alone_interruptions integer not null default 0,
    uncounted integer not null default 0,
    in_child boolean not null default false
  );
  create index if not exists job_runs_process on ${schema}.job_runs (process_id) where process_id is not null;
  create table if not exists ${schema}.alone_runs (
    job_id uuid not null,
    retry_count integer not null,
    group_id text,
    started_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    in_child boolean not null default false,
    primary key (job_id, retry_count)
  );
  create index if not exists job_unfinished on ${schema}.job_common (group_id, created_on, id)
    where state in ('retry', 'active', 'failed');
  create index if not exists job_subject on ${schema}.job_common (singleton_key, name)
    where state < 'completed' and singleton_key is not null;
  do $$ begin
    if exists (select from ${schema}.queue where heartbeat_seconds is not null) then
      update ${schema}.queue set heartbeat_seconds = null;
      update ${schema}.job set heartbeat_seconds = null where state < 'completed';
    end if;
    if not exists (select from pg_attribute
      where attrelid = '${schema}.alone_runs'::regclass and attname = 'in_child') then
      alter table ${schema}.job_runs add column in_child boolean not null default false;
      alter table ${schema}.alone_runs add column in_child boolean not null default false;
    end if;
  end $$;
  commit;
`;

/** Adds the row to jobs from an earlier release, which did not store it. */
export async function nameSubjects(
  sql: JobSql,
  schema: string,
  definitions: readonly JobDefinition<object>[],
): Promise<void> {
  for (const { queue, subject } of definitions)
    if (subject !== undefined)
      await sql.executeSql(
        `update ${schema}.job set singleton_key = data ->> $2
         where name in ($1, $1 || '.dead') and state <= 'active' and singleton_key is null`,
        [queue, subject],
      );
}
