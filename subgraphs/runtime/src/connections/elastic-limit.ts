import { onceSocketsAreRead } from "../clients/loop-time.js";

const shrinkAfterMs = 30_000;

/**
 * A limit for connections in use that follows the need. It is one at first. It grows by one when somebody has waited
 * for `growAfterMs`, up to `max`, and shrinks by one after half a minute without such a wait. So loops that ask at the
 * same moment share a few connections, and the others are closed.
 */
export class ElasticLimit {
  readonly #max: number;
  readonly #growAfterMs: number;
  readonly #open: (() => void) | undefined;
  /** Those who wait, the oldest first. */
  readonly #waiting = new Map<() => void, NodeJS.Timeout>();
  #size = 1;
  #inUse = 0;
  #resizedAt = performance.now();

  /** `open`: opens one more connection and then calls `leave` once. A waiting caller takes the connection that is free first. */
  constructor(max: number, growAfterMs: number, open?: () => void) {
    this.#max = max;
    this.#growAfterMs = growAfterMs;
    this.#open = open;
  }

  /** Calls `admit` now or later. Each admission ends with one `leave`. */
  enter(admit: () => void): void {
    this.#shrink();
    this.#waiting.set(
      admit,
      setTimeout(() => this.#growFor(admit), this.#growAfterMs),
    );
    this.#admit();
  }

  leave(): void {
    this.#inUse -= 1;
    this.#admit();
  }

  #admit(): void {
    for (const [admit, timer] of this.#waiting) {
      if (this.#inUse >= this.#size) return;
      clearTimeout(timer);
      this.#waiting.delete(admit);
      this.#inUse += 1;
      admit();
    }
  }

  /** A process that was busy has not read yet which connections are free. */
  #growFor(waiting: () => void): void {
    onceSocketsAreRead(() => {
      if (this.#waiting.has(waiting)) this.#grow();
    });
  }

  #grow(): void {
    this.#resizedAt = performance.now();
    if (this.#size === this.#max) return;
    this.#size += 1;
    if (this.#open) {
      this.#inUse += 1;
      this.#open();
    } else this.#admit();
  }

  #shrink(): void {
    if (this.#size === 1 || performance.now() - this.#resizedAt < shrinkAfterMs) return;
    this.#size -= 1;
    this.#resizedAt = performance.now();
  }
}
