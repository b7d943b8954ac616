import type { Turn } from "./interleave.js";

/**
 * Two benches that run at the same time, at two releases: the same shot of both is a pair. The side that begins changes,
 * since the second shot was up to a fifth cheaper than the first one of the same release. It changes by the Thue-Morse
 * sequence (OEIS A010060), so that each contestant's pairs are balanced, however many contestants take turns.
 */
export class PairedTurns {
  readonly #waiting: [(() => Promise<void>)?, (() => Promise<void>)?] = [];
  #pairs = 0;

  /** The turns for one bench. */
  side(side: 0 | 1): Turn {
    return (shot) =>
      new Promise((resolve, reject) => {
        this.#waiting[side] = () => shot().then(resolve, reject);
        void this.#runPair();
      });
  }

  async #runPair(): Promise<void> {
    const [first, second] = isEven(this.#pairs) ? this.#waiting : this.#waiting.toReversed();
    if (!first || !second) return;
    this.#waiting.length = 0;
    this.#pairs += 1;
    await first();
    await second();
  }
}

/** Whether the number has an even count of ones in binary. */
const isEven = (pairs: number): boolean => pairs.toString(2).replaceAll("0", "").length % 2 === 0;
