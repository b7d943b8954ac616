import type { Logger } from "../../telemetry/logger.js";

/** Polls for work, one poll at a time. */
export class LookLoop {
  readonly #logger: Logger;
  readonly #lookMs: number;
  readonly #failure: string;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  /** `failure`: the line of the log about a poll that failed. */
  constructor(logger: Logger, lookMs: number, failure: string) {
    this.#logger = logger;
    this.#lookMs = lookMs;
    this.#failure = failure;
  }

  /** Is aborted by `stop`. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(look: () => Promise<void>): void {
    if (this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking = look()
        .catch((error: unknown) => this.#logger.warn({ err: error }, this.#failure))
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
