import type { ProjectionStore } from "./projection-store.js";
import type { SnapshotSource } from "./snapshot-source.js";
import type { EditionCopy } from "./tenant-copy.js";

/** The editions in memory. There are few. */
export class EditionFacts {
  readonly #store: ProjectionStore;
  readonly #source: SnapshotSource | undefined;
  #editions: ReadonlyMap<string, EditionCopy> = new Map();
  #reading: Promise<void> | undefined;

  constructor(store: ProjectionStore, source: SnapshotSource | undefined) {
    this.#store = store;
    this.#source = source;
  }

  find(code: string): EditionCopy | undefined {
    return this.#editions.get(code);
  }

  /** Asks the spine for an edition that is not stored yet. */
  async require(code: string): Promise<void> {
    if (this.#editions.has(code)) return;
    await this.read();
    if (this.#editions.has(code) || !this.#source) return;
    await this.#store.storeEditions(await this.#source.editions());
    await this.read();
  }

  /** Reads the stored editions. Requests at the same time share one read that has not begun. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const storedEditions = await this.#store.editions();
    this.#editions = new Map(storedEditions.map((edition) => [edition.code, edition]));
  }
}
