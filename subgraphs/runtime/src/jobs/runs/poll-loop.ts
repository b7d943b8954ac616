import type { Logger } from "../../telemetry/logger.js";

/** Polls for work, one poll at a time. */
export class LookLoop {
  readonly #logger: Logger;
  readonly #lookMs: number;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(logger: Logger, lookMs: number) {
    this.#logger = logger;
    this.#lookMs = lookMs;
  }

  /** Is aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(look: () => Promise<void>): void {
    if (this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking = look()
        .catch((error: unknown) => this.#logger.warn({ err: error }, "a job that has to run alone was not run"))
        .then(() => this.start(look));
    }, this.#lookMs).unref();
  }

  /** Stops the loop and waits for a running poll. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }
}
