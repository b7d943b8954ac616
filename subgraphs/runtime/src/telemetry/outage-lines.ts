import { outageCause } from "../errors/outage-cause.js";

/** A count names this many different messages. */
const maxMessages = 20;

/** The causes of failures, each with the number of further failures for every message of the log. */
export interface FurtherFailures {
  readonly cause: string;
  readonly failures: number;
  readonly messages: Readonly<Record<string, number>>;
}

/**
 * Holds back lines about failures during an outage: the first line of each cause passes, and the others are counted.
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

  /** Whether the line of this failure passes. */
  passes(error: unknown, message: string): boolean {
    const cause = outageCause(error);
    if (cause === undefined) return true;
    // the watch of the server logs it once a minute, with the roles
    if (cause === "Refused") return false;
    const held = this.#outages.get(cause);
    if (held === undefined) {
      this.#open(cause);
      return true;
    }
    const named = held.has(message) || held.size < maxMessages ? message : "others";
    held.set(named, (held.get(named) ?? 0) + 1);
    return false;
  }

  /** A line about a change of state was written for this failure, so that failures of the same cause need none. */
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
      const held = this.#outages.get(cause) ?? new Map<string, number>();
      if (held.size === 0) return void this.#outages.delete(cause);
      const failures = [...held.values()].reduce((sum, count) => sum + count, 0);
      this.#tell({ cause, failures, messages: Object.fromEntries(held) });
      this.#outages.set(cause, new Map());
      this.#count(cause);
    }, this.#periodMs).unref();
  }
}
