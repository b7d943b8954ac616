import type { PgBoss } from "pg-boss";
import { aloneQueue, deadQueue, type JobDefinition, mayRunAgain } from "../definitions/job-definition.js";
import type { JobSql } from "../runs/job-runs.js";

/**
 * Dead letters are tried for about an hour, since the database may be failing. After that the sweeper repairs the row.
 */
export const deadLetterRetryLimit = 20;

/** Creates missing queues and updates changed ones. Jobs have no own heartbeats. */
export async function createQueues(boss: PgBoss, definitions: readonly JobDefinition<object>[]): Promise<void> {
  const knownQueues = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const definition of definitions.flatMap(queuesOf)) {
    const { name, ...settings } = definition;
    const knownQueue = knownQueues.get(name) as Record<string, unknown> | undefined;
    if (!knownQueue) await boss.createQueue(name, settings);
    else if (Object.entries(settings).some(([key, value]) => knownQueue[key] !== value))
      await boss.updateQueue(name, settings);
  }
}

/** Registers the queues that accept jobs from requests (see `access-functions.ts`). */
export async function registerQueues(
  sql: JobSql,
  schema: string,
  definitions: readonly JobDefinition<object>[],
): Promise<void> {
  await sql.executeSql(
    `insert into ${schema}.registered_queues as known (name, fair, subject, redrivable)
     select * from unnest($1::text[], $2::boolean[], $3::text[], $4::boolean[]) as queue (name) order by queue.name
     on conflict (name) do update
       set fair = excluded.fair, subject = excluded.subject, redrivable = excluded.redrivable
       where (known.fair, known.subject, known.redrivable)
         is distinct from (excluded.fair, excluded.subject, excluded.redrivable)`,
    [
      definitions.map(({ queue }) => queue),
      definitions.map(({ fair = false }) => fair),
      definitions.map(({ subject = null }) => subject),
      definitions.map(mayRunAgain),
    ],
  );
}

/** The dead-letter queue comes first, because the others refer to it. */
function queuesOf(job: JobDefinition<object>) {
  const deadLetter = deadQueue(job.queue);
  const settings = {
    retryLimit: job.retryLimit,
    retryDelay: job.retryDelaySeconds,
    retryBackoff: job.retryBackoff ?? false,
    expireInSeconds: job.expireInSeconds,
  };
  return [
    {
      name: deadLetter,
      retentionSeconds: 30 * 24 * 3600,
      retryLimit: deadLetterRetryLimit,
      retryDelay: 5,
      retryBackoff: true,
      retryDelayMax: 300,
      expireInSeconds: 60,
    },
    ...[job.queue, aloneQueue(job.queue)].map((name) => ({ name, ...settings, deadLetter })),
  ];
}
