import pg from "pg";
import type { Logger } from "../telemetry/logger.js";

const intervalMs = 3_600_000;
const firstAfterMs = 60_000;

/** What every schema forgets: events a week after they were published, results a day after they were stored. */
const forgetting = [
  "delete from outbox where published_at < now() - interval '7 days'",
  "delete from idempotency_records where created_at <= now() - interval '24 hours'",
];

/** Deletes once an hour, as the worker, what no promise covers any more. */
export class Retention {
  readonly #url: string;
  readonly #logger: Logger;
  readonly #statements: readonly string[];
  #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, logger: Logger, statements: readonly string[] = forgetting) {
    this.#url = url;
    this.#logger = logger;
    this.#statements = statements;
    this.#timer = setTimeout(() => this.#turn(), firstAfterMs).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Rows deleted by each statement. */
  async forget(): Promise<number[]> {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    try {
      const deleted: number[] = [];
      for (const statement of this.#statements) deleted.push((await client.query(statement)).rowCount ?? 0);
      return deleted;
    } finally {
      await client.end();
    }
  }

  #turn(): void {
    this.#running = this.forget().then(
      (deleted) => this.#logger.debug({ deleted }, "expired rows deleted"),
      (error: unknown) => this.#logger.warn({ err: error }, "expired rows not deleted, tried again in an hour"),
    );
    this.#timer = setTimeout(() => this.#turn(), intervalMs).unref();
  }
}
