import { PgBoss } from "pg-boss";
import { ElasticLimit } from "../../connections/elastic-limit.js";
import { keepSqlStorable } from "../../connections/storable-values.js";
import { watchedClients } from "../../connections/watch-session.js";
import type { Logger } from "../../telemetry/logger.js";
import { type SqlRunner, takeInTurn } from "./take-in-turn.js";

/**
 * Taking and finishing a job is committed asynchronously. After a server crash the job may run again, which is always
 * possible. Jobs are created in their senders' transactions, which are committed synchronously.
 */
function relaxedCommits(url: string): string {
  const relaxedUrl = new URL(url);
  relaxedUrl.searchParams.set("options", "-c synchronous_commit=off");
  return relaxedUrl.href;
}

/**
 * Time limits for connections in pg-boss, which has its own pool. Each connection gives up after 2 s without an answer;
 * the longer limit is for a busy machine, where a start would fail otherwise.
 */
const patience = { connectionTimeoutMillis: 10_000, query_timeout: 20_000, keepAlive: true };

const connections = 3;
/** pg-boss statements take a few milliseconds, and all queues fetch at the same moment. */
const growAfterMs = 100;

/** Runs statements that come at the same moment over one connection, so that the others are closed while little happens. */
function shareConnections(runner: SqlRunner): void {
  const execute = runner.executeSql.bind(runner);
  const limit = new ElasticLimit(connections, growAfterMs);
  runner.executeSql = async (text, values) => {
    await new Promise<void>((admit) => limit.enter(admit));
    return execute(text, values).finally(() => limit.leave());
  };
}

/** Creates a pg-boss that is not started yet. It has its own pool. */
export function openBoss(workerUrl: string, schema: string, logger: Logger): PgBoss {
  const boss = new PgBoss({
    connectionString: relaxedCommits(workerUrl),
    schema,
    createSchema: false,
    max: connections,
    ...patience,
    ...watchedClients(workerUrl, logger),
    schedule: false,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    monitorVacuum: false,
    reindex: false,
  });
  // Job errors are stored, and may contain texts from third parties.
  keepSqlStorable(boss.getDb());
  takeInTurn(boss.getDb());
  shareConnections(boss.getDb());
  boss.on("error", (error) => logger.warn({ err: error }, "job queue"));
  boss.on("warning", (warning) => logger.debug({ warning }, "job queue"));
  return boss;
}
