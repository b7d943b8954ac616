const windowMs = 60_000;
/** Bounds memory; the oldest windows are forgotten first. */
const maxWindows = 20_000;

interface Window {
  requests: number;
  endsAt: number;
}

/** Counts requests by key in windows of 60 seconds. */
export class FixedWindowLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** Counts one request; seconds to wait when it is one too many. */
  spend(key: string, limit: number): number | undefined {
    const window = this.#current(key) ?? this.#open(key);
    window.requests += 1;
    return window.requests > limit ? this.#secondsLeft(window) : undefined;
  }

  /** Seconds to wait when the next request would be one too many. */
  blockedFor(key: string, limit: number): number | undefined {
    const window = this.#current(key);
    return window && window.requests >= limit ? this.#secondsLeft(window) : undefined;
  }

  /** Takes back one request that should not have counted. */
  refund(key: string): void {
    const window = this.#current(key);
    if (window && window.requests > 0) window.requests -= 1;
  }

  #secondsLeft({ endsAt }: Window): number {
    return Math.ceil((endsAt - this.#clock()) / 1000);
  }

  #current(key: string): Window | undefined {
    const window = this.#windows.get(key);
    return window && window.endsAt > this.#clock() ? window : undefined;
  }

  #open(key: string): Window {
    this.#windows.delete(key);
    if (this.#windows.size >= maxWindows) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    const opened = { requests: 0, endsAt: this.#clock() + windowMs };
    this.#windows.set(key, opened);
    return opened;
  }
}
