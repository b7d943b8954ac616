import type { Logger } from "../telemetry/logger.js";
import { loopWatch, type WatchedLoop } from "./loop-watch.js";

interface PeriodicLoopOptions {
  readonly name: string;
  /** The pause between two turns. */
  readonly periodMs: number;
  readonly logger: Logger;
  /** The log line about a turn that failed. */
  readonly failure: string;
}

/** Does the same work again and again, one turn at a time. */
export class PeriodicLoop {
  readonly #options: PeriodicLoopOptions;
  readonly #stopping = new AbortController();
  #watched: WatchedLoop | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turning: Promise<void> = Promise.resolve();
  /** Counts the restarts, so that a turn that was given up ends without a further one. */
  #generation = 0;

  constructor(options: PeriodicLoopOptions) {
    this.#options = options;
  }

  /** Is aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The first turn begins after one period. */
  start(turn: () => Promise<void>): void {
    if (this.signal.aborted) return;
    const { name, periodMs, logger } = this.#options;
    const restart = () => {
      this.#generation += 1;
      clearTimeout(this.#timer);
      this.#turn(turn);
    };
    this.#watched ??= loopWatch.add({ name, periodMs, logger, restart });
    this.#plan(turn);
  }

  /** Reports progress in a long turn. */
  progress(): void {
    this.#watched?.turned();
  }

  /** Work with its own time limit may take longer than a turn. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#watched ? this.#watched.during(work) : work();
  }

  /** Stops the loop and waits for a running turn. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    this.#watched?.leave();
    await this.#turning;
  }

  #plan(turn: () => Promise<void>): void {
    if (this.signal.aborted) return;
    this.#timer = setTimeout(() => this.#turn(turn), this.#options.periodMs).unref();
  }

  #turn(turn: () => Promise<void>): void {
    const generation = this.#generation;
    const { name, logger, failure } = this.#options;
    this.#turning = turn()
      .catch((error: unknown) => logger.warn({ err: error, loop: name }, failure))
      .then(() => {
        if (generation !== this.#generation) return;
        this.#watched?.turned();
        this.#plan(turn);
      });
  }
}
