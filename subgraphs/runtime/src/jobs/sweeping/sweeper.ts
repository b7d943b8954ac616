import type { Logger } from "../../telemetry/logger.js";

const intervalMs = 30_000;

/** A row that waits for what will not come. */
export interface LyingRow {
  readonly tenantId: string;
  /** As callers know it. */
  readonly id: string;
}

/** The rows of one slice that may wait for background work, and how it knows that none is under way. */
export interface SweptRows<Row extends LyingRow = LyingRow> {
  readonly slice: string;
  /** Those that have waited for more than 60 s for nothing. */
  find(): Promise<Row[]>;
  /** Sends the work again, or ends the row. False: meanwhile it was taken care of. */
  repair(row: Row): Promise<boolean>;
}

/** Looks for lying rows every 30 s and repairs what it finds, so that no defect elsewhere leaves a row for ever. */
export class Sweeper {
  readonly #logger: Logger;
  readonly #swept: SweptRows[] = [];
  readonly #repaired = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#schedule();
  }

  add<Row extends LyingRow>(rows: SweptRows<Row>): void {
    this.#swept.push(rows as unknown as SweptRows);
    this.#repaired.set(rows.slice, 0);
  }

  /** Lying rows by slice, as they are now. */
  async lying(): Promise<Record<string, number>> {
    const counts = this.#swept.map(async (rows) => [rows.slice, (await rows.find()).length] as const);
    return Object.fromEntries(await Promise.all(counts));
  }

  /** Since the start, by slice. */
  repaired(): Record<string, number> {
    return Object.fromEntries(this.#repaired);
  }

  async sweep(): Promise<void> {
    for (const rows of this.#swept) {
      try {
        for (const row of await rows.find()) await this.#repair(rows, row);
      } catch (error) {
        this.#logger.warn(
          { err: error, slice: rows.slice },
          "the search for rows without a job failed and is tried again in 30 s",
        );
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  async #repair(rows: SweptRows, row: LyingRow): Promise<void> {
    if (this.#stopped) return;
    const { tenantId, id } = row;
    try {
      if (!(await rows.repair(row))) return;
      this.#repaired.set(rows.slice, (this.#repaired.get(rows.slice) ?? 0) + 1);
      this.#logger.warn(
        { slice: rows.slice, tenantId, id },
        "a row waited for a job that did not exist, and was repaired",
      );
    } catch (error) {
      this.#logger.warn(
        { err: error, slice: rows.slice, tenantId, id },
        "a row waits for nothing and was not repaired",
      );
    }
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#sweeping = this.sweep().then(() => this.#schedule());
    }, intervalMs).unref();
  }
}
