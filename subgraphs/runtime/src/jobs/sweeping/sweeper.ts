import { PeriodicLoop } from "../../loops/periodic-loop.js";
import type { Logger } from "../../telemetry/logger.js";

const intervalMs = 30_000;

/** A row that waits for a job that does not exist. */
export interface StrandedRow {
  readonly tenantId: string;
  /** The wire ID. */
  readonly id: string;
}

/** How far a search has come. The next one continues there, and begins anew at the end. */
export interface SweepPosition {
  after?: readonly string[] | undefined;
}

/** One slice's rows that wait for background work, for the sweeper. */
export interface SweptRows<Row extends StrandedRow = StrandedRow> {
  readonly slice: string;
  /**
   * The rows that have waited for more than 60 s although no job exists for them. A search that looks only at some rows
   * stores its position, so that rows whose jobs live never hide those behind them.
   */
  find(position?: SweepPosition): Promise<Row[]>;
  /** Sends the job again or ends the row. Returns false when the row does not need it any more. */
  repair(row: Row): Promise<boolean>;
}

/**
 * Searches every 30 s for rows that wait for a job that does not exist, and repairs them. So a defect elsewhere cannot
 * leave a row waiting forever.
 */
export class Sweeper {
  readonly #logger: Logger;
  readonly #swept: { readonly rows: SweptRows; readonly position: SweepPosition }[] = [];
  readonly #repaired = new Map<string, number>();
  readonly #loop: PeriodicLoop;

  /** `schema`: the one whose rows are swept. */
  constructor(logger: Logger, schema: string) {
    this.#logger = logger;
    const failure = "the search for rows without a job failed and is tried again in 30 s";
    this.#loop = new PeriodicLoop({ name: `sweeper ${schema}`, periodMs: intervalMs, logger, failure });
    this.#loop.start(() => this.sweep());
  }

  /** Throws when another entry has the same name, since one entry's counts would hide the other's. */
  add<Row extends StrandedRow>(rows: SweptRows<Row>): void {
    if (this.#repaired.has(rows.slice)) throw new Error(`The sweeper already has rows with the name "${rows.slice}".`);
    this.#swept.push({ rows: rows as unknown as SweptRows, position: {} });
    this.#repaired.set(rows.slice, 0);
  }

  /** How many such rows there are now, by slice. Each slice's first 20,000 overdue rows are searched. */
  async lying(): Promise<Record<string, number>> {
    const counts = this.#swept.map(async ({ rows }) => [rows.slice, (await rows.find()).length] as const);
    return Object.fromEntries(await Promise.all(counts));
  }

  /** How many rows were repaired since the start, by slice. */
  repaired(): Record<string, number> {
    return Object.fromEntries(this.#repaired);
  }

  async sweep(): Promise<void> {
    for (const { rows, position } of this.#swept) {
      try {
        for (const row of await rows.find(position)) {
          await this.#repair(rows, row);
          this.#loop.progress();
        }
      } catch (error) {
        this.#logger.warn(
          { err: error, slice: rows.slice },
          "the search for rows without a job failed and is tried again in 30 s",
        );
      }
    }
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #repair(rows: SweptRows, row: StrandedRow): Promise<void> {
    if (this.#loop.signal.aborted) return;
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
        "a row waits for a job that does not exist, and was not repaired",
      );
    }
  }
}
