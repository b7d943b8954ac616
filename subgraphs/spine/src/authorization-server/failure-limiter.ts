const windowMs = 15 * 60_000;
/** Bounds memory when somebody invents client ids. */
const maxWindows = 20_000;

interface Window {
  failures: number;
  endsAt: number;
}

export interface Attempt {
  clientId: string;
  address: string;
}

/**
 * Counts failed client authentications of 15 minutes: 10 per client id and address, 100 per address. The client id
 * alone is no key: it is no secret, and whoever knows it could lock the client out.
 */
export class FailureLimiter {
  readonly #windows = new Map<string, Window>();
  readonly #clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** Seconds until the next attempt is looked at; undefined: now. */
  blockedFor(attempt: Attempt): number | undefined {
    const waits = limitsOf(attempt).flatMap(({ key, limit }) => {
      const window = this.#current(key);
      return window && window.failures >= limit ? [window.endsAt - this.#clock()] : [];
    });
    return waits.length === 0 ? undefined : Math.ceil(Math.max(...waits) / 1000);
  }

  failed(attempt: Attempt): void {
    for (const { key } of limitsOf(attempt)) {
      const window = this.#current(key);
      if (window) window.failures += 1;
      else this.#open(key);
    }
  }

  #current(key: string): Window | undefined {
    const window = this.#windows.get(key);
    if (!window || window.endsAt > this.#clock()) return window;
    this.#windows.delete(key);
    return undefined;
  }

  #open(key: string): void {
    if (this.#windows.size >= maxWindows) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    this.#windows.set(key, { failures: 1, endsAt: this.#clock() + windowMs });
  }
}

function limitsOf({ clientId, address }: Attempt): { key: string; limit: number }[] {
  return [
    { key: address, limit: 100 },
    { key: `${address} ${clientId.slice(0, 200)}`, limit: 10 },
  ];
}
