import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "../telemetry/logger.js";
import type { WorkerPool } from "../unit-of-work/worker-transaction.js";
import { resealTable, type TableProgress } from "./reseal-table.js";
import type { SealedTable } from "./sealed-table.js";

const patienceMs = 30_000;

/**
 * Writes a subgraph's stored values again under the newest master key: in the background after each start with a former
 * key, and for `npm run rewrap`.
 */
export class Resealer {
  readonly #workers: WorkerPool;
  readonly #tables: readonly SealedTable[];
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #running: Promise<TableProgress[]> = Promise.resolve([]);
  #background: Promise<void> = Promise.resolve();

  constructor(workers: WorkerPool, tables: readonly SealedTable[], logger: Logger) {
    this.#workers = workers;
    this.#tables = tables;
    this.#logger = logger;
  }

  /** Begins to work until everything is done that can be done. */
  start(): void {
    this.#background = this.#untilDone();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([this.#background, this.#running]);
  }

  /** One run over all tables. A call during a run waits for it and then runs again, since rows may have been added. */
  run(onProgress: (progress: TableProgress) => void = () => undefined): Promise<TableProgress[]> {
    const before = this.#running.catch(() => undefined);
    this.#running = before.then(() => this.#run(onProgress));
    return this.#running;
  }

  async #run(onProgress: (progress: TableProgress) => void): Promise<TableProgress[]> {
    const results: TableProgress[] = [];
    for (const table of this.#tables)
      results.push(await resealTable(this.#workers, table, this.#stopping.signal, onProgress));
    this.#report(results);
    return results;
  }

  #report(results: readonly TableProgress[]): void {
    const { schema } = this.#workers;
    for (const { label, table, damaged } of results)
      for (const { row, reason } of damaged)
        this.#logger.error({ schema, label, table, row, reason }, "a sealed value cannot be opened");
    const renewedCount = results.reduce((sum, table) => sum + table.renewed, 0);
    const leftCount = results.reduce((sum, table) => sum + table.left, 0);
    if (leftCount === 0)
      this.#logger.info({ schema, renewed: renewedCount }, "all stored values are sealed by the newest SECRETS_KEY");
    else
      this.#logger.warn(
        { schema, renewed: renewedCount, left: leftCount },
        "some stored values are not sealed by the newest SECRETS_KEY",
      );
  }

  async #untilDone(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.run();
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#logger.warn({ err: error }, "stored values were not sealed again; the next try is in 30 s");
      }
      await pause(patienceMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
