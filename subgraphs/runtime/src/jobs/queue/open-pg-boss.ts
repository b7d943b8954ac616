import { PgBoss } from "pg-boss";
import { keepSqlStorable } from "../../connections/storable-values.js";
import type { Logger } from "../../telemetry/logger.js";
import { takeInTurn } from "./take-in-turn.js";

/**
 * Taking and finishing a job is committed asynchronously. After a crash of the server the job may run again, which is
 * always possible. Jobs are created in the transactions of their senders, which are committed synchronously.
 */
function relaxedCommits(url: string): string {
  const relaxed = new URL(url);
  relaxed.searchParams.set("options", "-c synchronous_commit=off");
  return relaxed.href;
}

/** Time limits for connections of pg-boss, since its own pool has no server watch. */
const patience = { connectionTimeoutMillis: 2000, query_timeout: 60_000, keepAlive: true };

/** Creates a pg-boss that is not started yet. It has its own pool. */
export function openBoss(workerUrl: string, schema: string, logger: Logger): PgBoss {
  const boss = new PgBoss({
    connectionString: relaxedCommits(workerUrl),
    schema,
    createSchema: false,
    // All queues fetch at the same moment, so a burst would keep every connection of the pool open.
    max: 3,
    ...patience,
    schedule: false,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    monitorVacuum: false,
    reindex: false,
  });
  // Errors of jobs are stored, and may contain texts of third parties.
  keepSqlStorable(boss.getDb());
  takeInTurn(boss.getDb());
  boss.on("error", (error) => logger.warn({ err: error }, "job queue"));
  boss.on("warning", (warning) => logger.debug({ warning }, "job queue"));
  return boss;
}
