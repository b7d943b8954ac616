import { type TimedWindow, TimedWindows } from "./timed-windows.js";

export const failureWindowMs = 15 * 60_000;

/** After this time an attempt may be repeated that was refused only because others were pending. */
const pendingRetryMs = 1_000;

interface FailureWindow extends TimedWindow {
  failures: number;
  /** Attempts that have begun and not ended. */
  pending: number;
}

interface Limit {
  key: string;
  limit: number;
}

/** A client's attempt to authenticate. */
export interface Attempt {
  clientId: string;
  address: string;
}

/** A user's attempt to sign in. */
export interface LoginAttempt {
  /** The tenant that the client serves; empty for a client that serves all tenants. */
  tenant: string;
  username: string;
  address: string;
}

/**
 * Limits failures in 15 minutes, by the keys from `limitsOf`. Pending attempts count as failures until they end, so
 * that many attempts at the same time get no further than attempts one after the other. `rate-limiter-flexible` does
 * not know pending attempts.
 */
export class FailureLimiter<A = Attempt> {
  readonly #windows: TimedWindows<FailureWindow>;
  readonly #limitsOf: (attempt: A) => readonly Limit[];

  constructor(limitsOf: (attempt: A) => readonly Limit[], clock: () => number = Date.now) {
    this.#limitsOf = limitsOf;
    this.#windows = new TimedWindows(failureWindowMs, clock);
  }

  /** Seconds until the attempt may be made; undefined if it may be made now. */
  blockedFor(attempt: A): number | undefined {
    const waits = this.#limitsOf(attempt).flatMap(({ key, limit }) => {
      const window = this.#windows.find(key);
      if (!window || window.failures + window.pending < limit) return [];
      return [window.failures < limit ? pendingRetryMs : this.#windows.leftMs(window)];
    });
    return waits.length === 0 ? undefined : Math.ceil(Math.max(...waits) / 1000);
  }

  /** Counts a failed attempt. */
  failed(attempt: A): void {
    for (const { key } of this.#limitsOf(attempt)) this.#window(key).failures += 1;
  }

  /** Counts the attempt as pending until the returned function is called with how it ended. */
  begin(attempt: A): (failed: boolean) => void {
    const keys = this.#limitsOf(attempt).map(({ key }) => key);
    for (const key of keys) this.#window(key).pending += 1;
    return (hasFailed) => {
      for (const key of keys) {
        const window = this.#window(key);
        window.pending = Math.max(0, window.pending - 1);
        if (hasFailed) window.failures += 1;
      }
    };
  }

  #window(key: string): FailureWindow {
    return this.#windows.open(key, (endsAt) => ({ failures: 0, pending: 0, endsAt }));
  }
}

/**
 * 10 failures per client id and address, 100 per address. The client id alone is not a key: anybody who knows it could
 * lock the client out.
 */
export const clientLimits = ({ clientId, address }: Attempt): Limit[] => [
  { key: address, limit: 100 },
  { key: `${address} ${clientId.slice(0, 200)}`, limit: 10 },
];

/** 10 failures per user name in a tenant, from all addresses, and 10 per address, for all user names. */
export const loginLimits =
  (factor = 1) =>
  ({ tenant, username, address }: LoginAttempt): Limit[] => [
    { key: address, limit: 10 * factor },
    { key: `${tenant} ${username.slice(0, 300)}`, limit: 10 * factor },
  ];

/** A user's attempt to prove a second factor. */
export interface FactorAttempt {
  userId: string;
  address: string;
}

/** 5 failures per user, from all addresses, and 20 per address. A six-digit code has a million values. */
export const factorLimits =
  (factor = 1) =>
  ({ userId, address }: FactorAttempt): Limit[] => [
    { key: `address ${address}`, limit: 20 * factor },
    { key: userId, limit: 5 * factor },
  ];

/** An attempt to sign in that names no user. */
export interface AddressAttempt {
  address: string;
}

/** 10 failures per address. */
export const addressLimits =
  (factor = 1) =>
  ({ address }: AddressAttempt): Limit[] => [{ key: address, limit: 10 * factor }];
