import type { Logger } from "../telemetry/logger.js";

/** The result of a drain: nothing is left, more is waiting, or the next item is due in so many milliseconds. */
export type Drained = "empty" | "more" | number;

const backstopMs = 1000;

/**
 * Runs one drain at a time: after a wake-up, again while there is more, and once a second because a wake-up can be
 * lost.
 */
export class DrainLoop {
  readonly #drain: () => Promise<Drained>;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(drain: () => Promise<Drained>, logger: Logger) {
    this.#drain = drain;
    this.#logger = logger;
  }

  wake(): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    let drained: Drained = "empty";
    try {
      do {
        this.#again = false;
        drained = await this.#drain();
      } while (!this.#stopped && (this.#again || drained === "more"));
    } catch (error) {
      this.#logger.warn({ err: error }, "a drain failed and will be tried again");
    }
    this.#running = undefined;
    if (this.#stopped) return;
    const pauseMs = typeof drained === "number" ? Math.min(Math.max(0, drained), backstopMs) : backstopMs;
    this.#timer = setTimeout(() => this.wake(), pauseMs);
    this.#timer.unref();
  }
}
