import type { Logger } from "../telemetry/logger.js";

const lookMs = 2000;

/** Looks for work every 2 s, one look at a time. */
export class LookLoop {
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Aborted by the stop. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(look: () => Promise<void>): void {
    if (this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking = look()
        .catch((error: unknown) => this.#logger.warn({ err: error }, "a job that has to run alone was not run"))
        .then(() => this.start(look));
    }, lookMs).unref();
  }

  /** The look that is under way has ended then. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }
}
