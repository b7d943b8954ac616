import { isOutage } from "@factory/runtime/errors/unavailable";
import type { Logger } from "@factory/runtime/telemetry/logger";

interface LateEnd {
  readonly store: () => Promise<unknown>;
  /** Milliseconds on the monotonic clock. Later the sweep has found the run. */
  readonly giveUpAt: number;
}

const intervalMs = 2_000;
const patienceMs = 330_000;
/** A database that is away for long must not fill the memory. */
const maxWaiting = 2_000;

/**
 * Stores ends later for held runs whose end could not be stored at once, for example while the database is away. The
 * sweep finds the runs whose ends are not stored when this process ends.
 */
export class LateEnds {
  readonly #logger: Logger;
  readonly #waiting = new Map<string, LateEnd>();
  #timer: NodeJS.Timeout | undefined;
  #trying: Promise<void> = Promise.resolve();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** `store` may have stored the end before its error came, so it must change nothing the second time. */
  add(runId: string, error: unknown, store: () => Promise<unknown>): void {
    const isKept = this.#waiting.size < maxWaiting;
    this.#logger.warn({ err: error, runId, isKept }, "the end of a call could not be stored");
    if (!isKept) return;
    this.#waiting.set(runId, { store, giveUpAt: performance.now() + patienceMs });
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#waiting.clear();
    clearTimeout(this.#timer);
    await this.#trying;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#trying = this.#tryAll().then(() => {
        this.#timer = undefined;
        if (this.#waiting.size > 0) this.#schedule();
      });
    }, intervalMs).unref();
  }

  /** Stops while the database is away. Another failure belongs to its end only, which is tried again. */
  async #tryAll(): Promise<void> {
    for (const [runId, { store, giveUpAt }] of this.#waiting) {
      try {
        await store();
      } catch (error) {
        const isKept = giveUpAt > performance.now();
        if (isKept && isOutage(error)) return;
        if (isKept) continue;
        this.#logger.warn({ err: error, runId }, "the end of a call was given up");
      }
      this.#waiting.delete(runId);
    }
  }
}
