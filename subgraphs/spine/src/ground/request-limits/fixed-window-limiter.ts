import { type TimedWindow, TimedWindows } from "./timed-windows.js";

interface RequestWindow extends TimedWindow {
  requests: number;
}

/** Counts requests by key in windows of 60 seconds, which begin with the first request. */
export class FixedWindowLimiter {
  readonly #windows: TimedWindows<RequestWindow>;

  constructor(clock: () => number = Date.now) {
    this.#windows = new TimedWindows(60_000, clock);
  }

  /** Counts one request, or `count` of them. Returns the seconds to wait if they exceed the limit. */
  consume(key: string, limit: number, count = 1): number | undefined {
    const window = this.#windows.open(key, (endsAt) => ({ requests: 0, endsAt }));
    window.requests += count;
    return window.requests > limit ? this.#secondsLeft(window) : undefined;
  }

  /** Counts nothing. Returns the seconds to wait if the next request would exceed the limit. */
  blockedFor(key: string, limit: number): number | undefined {
    const window = this.#windows.find(key);
    return window && window.requests >= limit ? this.#secondsLeft(window) : undefined;
  }

  /** Takes one counted request back. */
  refund(key: string): void {
    const window = this.#windows.find(key);
    if (window && window.requests > 0) window.requests -= 1;
  }

  #secondsLeft(window: RequestWindow): number {
    return Math.ceil(this.#windows.leftMs(window) / 1000);
  }
}
