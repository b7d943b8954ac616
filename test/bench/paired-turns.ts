import type { Turn } from "./interleave.js";

/**
 * Two benches that run at the same time, at two releases: the same shot of both is a pair. The side that begins changes
 * with each pair, since the second shot was up to a fifth cheaper than the first one of the same release.
 */
export class PairedTurns {
  readonly #waiting: [(() => Promise<void>)?, (() => Promise<void>)?] = [];
  #beginner: 0 | 1 = 0;

  /** The turns for one bench. */
  side(side: 0 | 1): Turn {
    return (shot) =>
      new Promise((resolve, reject) => {
        this.#waiting[side] = () => shot().then(resolve, reject);
        void this.#runPair();
      });
  }

  async #runPair(): Promise<void> {
    const [first, second] = this.#beginner === 0 ? this.#waiting : this.#waiting.toReversed();
    if (!first || !second) return;
    this.#waiting.length = 0;
    this.#beginner = this.#beginner === 0 ? 1 : 0;
    await first();
    await second();
  }
}
