import type { Logger } from "./logger.js";

/** The process waits for something without which it cannot go on. */
interface Wait {
  readonly what: string;
  readonly sinceMs: number;
}

/** A process's waits, for its log and for those who ask about its readiness. */
export class Waits {
  readonly #waits = new Set<Wait>();
  readonly #everyMs: number;
  readonly #clock: () => number;
  readonly #listeners = new Set<() => void>();
  #logger: Logger | undefined;

  constructor(everyMs = 60_000, clock = () => performance.now()) {
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  /** From now on each wait's beginning and end are logged, and a long wait once a minute. */
  logTo(logger: Logger): void {
    this.#logger = logger;
  }

  /** The waits that have not ended, by name. */
  get names(): string[] {
    return [...this.#waits].map(({ what }) => what);
  }

  /** Calls `listener` when a wait begins, and now if there is one. Returns the function that ends this. */
  onBegin(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#waits.size > 0) listener();
    return () => this.#listeners.delete(listener);
  }

  /** Begins a wait. Returns the function that ends it. */
  begin(waitName: string, facts: Record<string, unknown> = {}, logger = this.#logger): () => void {
    const wait: Wait = { what: waitName, sinceMs: this.#clock() };
    const seconds = () => Math.round((this.#clock() - wait.sinceMs) / 1000);
    this.#waits.add(wait);
    for (const listener of this.#listeners) listener();
    logger?.warn({ ...facts, waitsFor: waitName }, "the platform waits");
    const reminder = setInterval(
      () => logger?.warn({ waitsFor: waitName, seconds: seconds() }, "the platform still waits"),
      this.#everyMs,
    ).unref();
    return () => {
      clearInterval(reminder);
      if (this.#waits.delete(wait))
        logger?.warn({ waitsFor: waitName, seconds: seconds() }, "a wait of the platform ended");
    };
  }
}

export const waits = new Waits();
