import { AsyncLocalStorage } from "node:async_hooks";

const offsets = new AsyncLocalStorage<number>();

/**
 * Gives each party in a test its own clock, until `restore` is called: work in `run` sees a time that differs by so
 * much.
 */
export class PartyClocks {
  readonly #real = Date.now.bind(Date);

  constructor() {
    Date.now = () => this.#real() + (offsets.getStore() ?? 0);
  }

  /** Epoch milliseconds, by the clock that differs by `offsetMs`. */
  now(offsetMs: number): number {
    return this.#real() + offsetMs;
  }

  run<T>(offsetMs: number, work: () => T): T {
    return offsets.run(offsetMs, work);
  }

  restore(): void {
    Date.now = this.#real;
  }
}
