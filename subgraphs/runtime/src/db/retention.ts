import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { PeriodicLoop } from "../loops/periodic-loop.js";
import type { Logger } from "../telemetry/logger.js";

/**
 * A rule that says which rows in a table are deleted. All members are the platform's SQL and must never contain a
 * caller's input.
 */
export interface RetentionRule {
  /** The table name, with its schema where that is not in the search path. */
  readonly table: string;
  /**
   * The condition for rows to delete, for example `expires_at < now()`. It needs an index, since it runs once a minute.
   */
  readonly expired: string;
  /** The columns that order the rows from the oldest, where the index on `expired` has this order. */
  readonly order?: string;
  /** How many rows one statement deletes, for rows with much content. The default is 1000. */
  readonly batch?: number;
  /** Statements that run with each batch and read its deleted rows as the table `gone`. */
  readonly remember?: readonly string[];
}

const intervalMs = 60_000;
const batchSize = 1000;
/** The pause between two batches, which limits deletion to 20,000 rows a second and lets other work run in between. */
const pauseMs = 50;
const statementTimeoutMs = 5000;
const connectTimeoutMs = 5000;

/** The rules for every schema: published messages are kept for a week, stored results for a day. */
const ofEverySchema: readonly RetentionRule[] = [
  { table: "outbox", expired: "published_at < now() - interval '7 days'", order: "published_at" },
  { table: "idempotency_records", expired: "created_at <= now() - interval '24 hours'", order: "created_at" },
];

/**
 * Deletes expired rows once a minute over a separate connection, as the role in `url`.
 *
 *     const retention = new Retention(workerUrl, logger, [{ table: "revocations", expired: "expires_at < now()" }]);
 *     await retention.stop();
 *
 * The rules take turns with at most 1,000 rows a statement until no rule finds a full batch. Locked rows are left for the next
 * minute, so several processes may run the same rules. A statement ends after 5 s. A rule that fails is logged and tried
 * again in a minute; the other rules continue. `stop` ends a running statement.
 */
export class Retention {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #rules: readonly RetentionRule[];
  readonly #loop: PeriodicLoop;

  constructor(url: string, logger: Logger, rules: readonly RetentionRule[] = ofEverySchema) {
    this.#url = url;
    this.#logger = logger;
    this.#rules = rules;
    const name = `retention ${new URL(url).username} ${rules[0]?.table ?? ""}`;
    const failure = "expired rows were not deleted; the next attempt is in a minute";
    this.#loop = new PeriodicLoop({ name, periodMs: intervalMs, logger, failure });
    this.#loop.start(async () => {
      const deletedCounts = await this.forget();
      logger.debug({ deleted: deletedCounts }, "expired rows deleted");
    });
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** How many rows each rule deleted. */
  async forget(): Promise<number[]> {
    const deletedCounts = this.#rules.map(() => 0);
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      // The client's time limit, for a server that does not answer at all.
      query_timeout: 2 * statementTimeoutMs,
    });
    client.on("error", (error) => this.#logger.debug({ error: error.message }, "a database connection was lost"));
    const stop = () => void client.end().catch(() => undefined);
    this.#loop.signal.addEventListener("abort", stop);
    try {
      await client.connect();
      let due = [...this.#rules.entries()];
      while (due.length > 0 && !this.#loop.signal.aborted) {
        const counts = new Map<number, number>();
        for (const [place, rule] of due) counts.set(place, await this.#batch(client, rule));
        this.#loop.progress();
        for (const [place, count] of counts) deletedCounts[place] = (deletedCounts[place] ?? 0) + count;
        due = due.filter(([place, rule]) => counts.get(place) === (rule.batch ?? batchSize));
        if (due.length > 0) await pause(pauseMs, undefined, { signal: this.#loop.signal }).catch(() => undefined);
      }
    } finally {
      this.#loop.signal.removeEventListener("abort", stop);
      await client.end().catch(() => undefined);
    }
    return deletedCounts;
  }

  async #batch(client: pg.Client, rule: RetentionRule): Promise<number> {
    if (this.#loop.signal.aborted) return 0;
    try {
      const { rows } = await client.query<{ deleted: number }>(deletion(rule), [rule.batch ?? batchSize]);
      return rows[0]?.deleted ?? 0;
    } catch (error) {
      if (this.#loop.signal.aborted) return 0;
      this.#logger.warn(
        { err: error, table: rule.table },
        "expired rows were not deleted; the next attempt is in a minute",
      );
      return 0;
    }
  }
}

/** Rows are addressed by their ctid, which cannot change while they are locked. */
function deletion({ table, expired, order, remember = [] }: RetentionRule): string {
  return `with due as materialized (
      select ctid from ${table} where ${expired}${order === undefined ? "" : ` order by ${order}`} limit $1
      for update skip locked),
    gone as (delete from ${table} where ctid = any (array(select ctid from due)) returning *)
    ${remember.map((statement, place) => `, remembered_${place} as (${statement})`).join("")}
    select count(*)::int as deleted from gone`;
}
