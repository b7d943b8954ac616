import { PgBoss } from "pg-boss";
import { keepSqlStorable } from "../../connections/storable-values.js";
import type { Logger } from "../../telemetry/logger.js";

/**
 * Taking and finishing a job need not reach the disk at once: should the server crash within that moment the job comes
 * again, which it may at any time. Jobs are created in the transactions of their senders, which do wait.
 */
function relaxedCommits(url: string): string {
  const relaxed = new URL(url);
  relaxed.searchParams.set("options", "-c synchronous_commit=off");
  return relaxed.href;
}

/** A connection that the server or the network forgot is given up; a pool of pg-boss's own is not watched. */
const patience = { connectionTimeoutMillis: 2000, query_timeout: 60_000, keepAlive: true };

/** Not started yet. It has a pool of its own. */
export function openBoss(workerUrl: string, schema: string, logger: Logger): PgBoss {
  const boss = new PgBoss({
    connectionString: relaxedCommits(workerUrl),
    schema,
    createSchema: false,
    max: 5,
    ...patience,
    schedule: false,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    monitorVacuum: false,
    reindex: false,
  });
  // the errors of jobs are stored, and may tell of foreign names
  keepSqlStorable(boss.getDb());
  boss.on("error", (error) => logger.warn({ err: error }, "job queue"));
  boss.on("warning", (warning) => logger.debug({ warning }, "job queue"));
  return boss;
}
