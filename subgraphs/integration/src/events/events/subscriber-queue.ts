import type { LoggedEvent } from "../event-log/logged-event.js";

export interface SubscriberLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/**
 * The events that one subscriber has not taken yet. Over its limits the queue drops all events and lags; the subscriber
 * can read them from the log.
 */
export class SubscriberQueue {
  readonly #limits: SubscriberLimits;
  #events: LoggedEvent[] = [];
  #bytes = 0;
  #lagged = false;
  #wake: (() => void) | undefined;

  constructor(limits: SubscriberLimits) {
    this.#limits = limits;
  }

  get lagged(): boolean {
    return this.#lagged;
  }

  push(event: LoggedEvent): void {
    if (this.#lagged) return;
    this.#events.push(event);
    this.#bytes += event.bytes;
    if (this.#events.length > this.#limits.maxEvents || this.#bytes > this.#limits.maxBytes) {
      this.#lagged = true;
      this.#events = [];
    }
    this.wake();
  }

  /** Removes and returns the oldest event. */
  take(): LoggedEvent | undefined {
    const event = this.#events.shift();
    this.#bytes -= event?.bytes ?? 0;
    return event;
  }

  /** Resolves at the next `push` or `wake`. Only one caller may wait at a time. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
