/** The time between two looks at the table while they are quick. */
export const lookIntervalMs = 1000;
/** After a look follows a pause at least 50 times as long, so that looks use at most 2 % of a connection. */
const lookRest = 50;
/** The longest pause, since only looks find a dead process's messages. */
const longestRestMs = 10_000;

/**
 * Says how long to wait after a look at the table. The faster look among the last two counts: a single slow one has
 * waited for a connection or for a processor, and says nothing about the table.
 */
export class LookPace {
  #lastMs = 0;
  #restMs = lookIntervalMs;

  get restMs(): number {
    return this.#restMs;
  }

  /** How far ahead a look reads: until after the next one. */
  get horizonMs(): number {
    return 2 * this.#restMs;
  }

  looked(tookMs: number): void {
    const rest = Math.min(tookMs, this.#lastMs) * lookRest;
    this.#lastMs = tookMs;
    this.#restMs = Math.min(Math.max(lookIntervalMs, rest), longestRestMs);
  }
}
