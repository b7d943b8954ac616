const windowMs = 15 * 60_000;
/** Bounds memory when somebody invents names. */
const maxWindows = 20_000;

/** When an attempt may be repeated that only waits for others to end. */
const turnMs = 1_000;

interface Window {
  failures: number;
  /** Begun and not ended. */
  pending: number;
  endsAt: number;
}

interface Limit {
  key: string;
  limit: number;
}

export interface Attempt {
  clientId: string;
  address: string;
}

export interface LoginAttempt {
  /** Of a client that serves one; empty for a client of every tenant. */
  tenant: string;
  username: string;
  address: string;
}

/** Counts failures of 15 minutes, and with them what is under way: many at the same time get no further than in a row. */
export class FailureLimiter<A = Attempt> {
  readonly #windows = new Map<string, Window>();
  readonly #limitsOf: (attempt: A) => readonly Limit[];
  readonly #clock: () => number;

  constructor(limitsOf: (attempt: A) => readonly Limit[], clock: () => number = Date.now) {
    this.#limitsOf = limitsOf;
    this.#clock = clock;
  }

  /** Seconds until the next attempt is looked at; undefined: now. */
  blockedFor(attempt: A): number | undefined {
    const waits = this.#limitsOf(attempt).flatMap(({ key, limit }) => {
      const window = this.#current(key);
      if (!window || window.failures + window.pending < limit) return [];
      return [window.failures < limit ? turnMs : window.endsAt - this.#clock()];
    });
    return waits.length === 0 ? undefined : Math.ceil(Math.max(...waits) / 1000);
  }

  failed(attempt: A): void {
    for (const { key } of this.#limitsOf(attempt)) this.#window(key).failures += 1;
  }

  /** Counts the attempt until the returned function is told how it ended. */
  begin(attempt: A): (failed: boolean) => void {
    const keys = this.#limitsOf(attempt).map(({ key }) => key);
    for (const key of keys) this.#window(key).pending += 1;
    return (failed) => {
      for (const key of keys) {
        const window = this.#window(key);
        window.pending = Math.max(0, window.pending - 1);
        if (failed) window.failures += 1;
      }
    };
  }

  #current(key: string): Window | undefined {
    const window = this.#windows.get(key);
    if (!window || window.endsAt > this.#clock()) return window;
    this.#windows.delete(key);
    return undefined;
  }

  #window(key: string): Window {
    const known = this.#current(key);
    if (known) return known;
    if (this.#windows.size >= maxWindows) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    const opened = { failures: 0, pending: 0, endsAt: this.#clock() + windowMs };
    this.#windows.set(key, opened);
    return opened;
  }
}

/** 10 per client id and address, 100 per address. The client id alone is no key: whoever knows it could lock the client out. */
export const clientLimits = ({ clientId, address }: Attempt): Limit[] => [
  { key: address, limit: 100 },
  { key: `${address} ${clientId.slice(0, 200)}`, limit: 10 },
];

/** 10 per user name in a tenant, wherever they come from, and 10 per address, whomever they are for. */
export const loginLimits =
  (factor = 1) =>
  ({ tenant, username, address }: LoginAttempt): Limit[] => [
    { key: address, limit: 10 * factor },
    { key: `${tenant} ${username.slice(0, 300)}`, limit: 10 * factor },
  ];
