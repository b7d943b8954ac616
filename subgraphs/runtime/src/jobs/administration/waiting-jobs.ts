import { mostCounted, type WaitingWork } from "../../backlogs/waiting-work.js";
import { aloneQueue } from "../definitions/job-definition.js";
import type { JobQueue } from "../queue/job-queue.js";

/** The due jobs in each queue that no process has taken yet. */
export async function waitingJobs(jobs: JobQueue): Promise<WaitingWork[]> {
  const { rows } = await jobs.sql.executeSql(
    `select 'queue' as kind, queue.name, waiting.count::int as waiting, waiting.age as "oldestSeconds"
     from ${jobs.schema}.registered_queues queue
     cross join lateral (
       select count(*) as count, coalesce(extract(epoch from now() - min(start_after)), 0)::float8 as age
       from (
         select start_after from ${jobs.schema}.job
         where job.name in (queue.name, queue.name || $1) and state < 'active' and not blocked and start_after <= now()
         limit ${mostCounted}) job) waiting
     order by queue.name`,
    [aloneQueue("")],
  );
  return rows as unknown as WaitingWork[];
}
