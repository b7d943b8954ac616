import { outageCause } from "../errors/outage-cause.js";

/** A count names this many different messages. */
const maxMessages = 20;

/** Failure causes, each with the number of further failures for every log message. */
export interface FurtherFailures {
  readonly cause: string;
  readonly failures: number;
  readonly messages: Readonly<Record<string, number>>;
}

/**
 * Holds back lines about failures during an outage: the first line for each cause passes, and the others are counted.
 * `tell` gets the count after each period, until a period brings none.
 */
export class OutageLines {
  readonly #tell: (failures: FurtherFailures) => void;
  readonly #periodMs: number;
  readonly #outages = new Map<string, Map<string, number>>();

  constructor(tell: (failures: FurtherFailures) => void, periodMs: number) {
    this.#tell = tell;
    this.#periodMs = periodMs;
  }

  /** Whether this failure's line passes. */
  passes(error: unknown, message: string): boolean {
    const cause = outageCause(error);
    if (cause === undefined) return true;
    // the server's watch logs it once a minute, with the roles
    if (cause === "Refused") return false;
    const counts = this.#outages.get(cause);
    if (counts === undefined) {
      this.#open(cause);
      return true;
    }
    const countedMessage = counts.has(message) || counts.size < maxMessages ? message : "others";
    counts.set(countedMessage, (counts.get(countedMessage) ?? 0) + 1);
    return false;
  }

  /** A line about a state change was written for this failure, so that failures with the same cause need none. */
  reported(error: unknown): void {
    const cause = outageCause(error);
    if (cause !== undefined && !this.#outages.has(cause)) this.#open(cause);
  }

  #open(cause: string): void {
    this.#outages.set(cause, new Map());
    this.#count(cause);
  }

  #count(cause: string): void {
    setTimeout(() => {
      const counts = this.#outages.get(cause) ?? new Map<string, number>();
      if (counts.size === 0) return void this.#outages.delete(cause);
      const failures = [...counts.values()].reduce((sum, count) => sum + count, 0);
      this.#tell({ cause, failures, messages: Object.fromEntries(counts) });
      this.#outages.set(cause, new Map());
      this.#count(cause);
    }, this.#periodMs).unref();
  }
}
