import type { LoggedEvent } from "../event-log/logged-event.js";

export interface SubscriberLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** What one subscriber has not taken yet. Over its bounds it lets go of everything: the log has it all. */
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

  /** The oldest event that waits. */
  take(): LoggedEvent | undefined {
    const event = this.#events.shift();
    this.#bytes -= event?.bytes ?? 0;
    return event;
  }

  /** Resolves at the next push or wake(). One waiter at a time. */
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
