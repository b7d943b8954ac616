import type { Logger } from "../telemetry/logger.js";
import { loopWatch, type WatchedLoop } from "./loop-watch.js";

/** A drain's result: nothing is left, more is waiting, or the next item is due in so many milliseconds. */
export type Drained = "empty" | "more" | number;

const backstopMs = 1000;

/**
 * Runs one drain at a time: after a wake-up, again while there is more, and once a second because a wake-up can be
 * lost.
 */
export class DrainLoop {
  readonly #name: string;
  readonly #drain: () => Promise<Drained>;
  readonly #logger: Logger;
  #watched: WatchedLoop | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** Counts the restarts, so that a drain that was given up ends without a further one. */
  #generation = 0;

  /** `name`: the loop in readiness, metrics and log. */
  constructor(name: string, drain: () => Promise<Drained>, logger: Logger) {
    this.#name = name;
    this.#drain = drain;
    this.#logger = logger;
  }

  wake(): void {
    if (this.#stopped) return;
    this.#watched ??= loopWatch.add({
      ...{ name: this.#name, periodMs: backstopMs, logger: this.#logger },
      restart: () => this.#restart(),
    });
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
    this.#watched?.leave();
    await this.#running;
  }

  #restart(): void {
    this.#generation += 1;
    this.#running = undefined;
    this.wake();
  }

  async #run(): Promise<void> {
    const generation = this.#generation;
    let outcome: Drained = "empty";
    try {
      do {
        this.#again = false;
        outcome = await this.#drain();
        if (generation === this.#generation) this.#watched?.turned();
      } while (!this.#stopped && generation === this.#generation && (this.#again || outcome === "more"));
    } catch (error) {
      this.#logger.warn({ err: error, loop: this.#name }, "a drain failed and will be tried again");
      if (generation === this.#generation) this.#watched?.turned();
    }
    if (generation !== this.#generation) return;
    this.#running = undefined;
    if (this.#stopped) return;
    const pauseMs = typeof outcome === "number" ? Math.min(Math.max(0, outcome), backstopMs) : backstopMs;
    this.#timer = setTimeout(() => this.wake(), pauseMs);
    this.#timer.unref();
  }
}
