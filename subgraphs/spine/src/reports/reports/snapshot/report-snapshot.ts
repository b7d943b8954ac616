import type { PoolClient } from "pg";

type Value = unknown;

/** Rows from a cursor or a statement: one array for each row, with its values in column order. */
export type ValueRow = readonly Value[];

/** About as many rows as a writer takes in one turn of the event loop. */
const rowsPerFetch = 500;

/** A tenant's repeatable-read transaction, in which all of a report's statements see the same rows. */
export class ReportSnapshot {
  readonly #client: PoolClient;
  readonly #signal: AbortSignal;
  #cursors = 0;

  constructor(
    client: PoolClient,
    signal: AbortSignal,
    /** Ends the snapshot before the work that uses its rows is done. Nothing can be read any more. */
    readonly end: () => Promise<void>,
  ) {
    this.#client = client;
    this.#signal = signal;
  }

  /** All rows from a statement that has few. */
  async rows(text: string, values: readonly Value[]): Promise<ValueRow[]> {
    this.#signal.throwIfAborted();
    const { rows } = await this.#client.query<Value[]>({ text, values: [...values], rowMode: "array" });
    return rows;
  }

  /** A statement's rows in batches, read by a server cursor, so that memory does not grow with their number. */
  async *batches(text: string, values: readonly Value[]): AsyncGenerator<readonly ValueRow[], void, undefined> {
    this.#cursors += 1;
    const cursor = `report_${this.#cursors}`;
    await this.#client.query(`declare ${cursor} no scroll cursor for ${text}`, [...values]);
    const fetch = { text: `fetch ${rowsPerFetch} from ${cursor}`, rowMode: "array" as const };
    for (;;) {
      this.#signal.throwIfAborted();
      const { rows } = await this.#client.query<Value[]>(fetch);
      if (rows.length > 0) yield rows;
      if (rows.length < rowsPerFetch) break;
    }
    await this.#client.query(`close ${cursor}`);
  }
}
