import { originKey, type TenantOrigin } from "./tenant-origin.js";

/** Milliseconds on the process's monotonic clock. */
type Time = number;

interface Breaker {
  /** The number of consecutive attempts without a response, while the breaker is closed. */
  unanswered: number;
  /** How often the breaker has opened since the last response. 0 while it is closed. */
  openings: number;
  pausedUntil: Time;
  usedAt: Time;
}

/** A breaker's opening, which other processes must know. */
export interface Opening {
  readonly openings: number;
  readonly pauseMs: number;
}

const patience = 5;
const firstPauseMs = 5_000;
const maxPauseMs = 5 * 60_000;
const jitter = 0.2;
/** After this time a closed breaker, or one whose pause has ended, is removed. */
const memoryMs = 10 * 60_000;

/**
 * Circuit breakers, one for each of a tenant's origins. Five consecutive attempts without an HTTP response open a
 * breaker. After a pause, which doubles from 5 s to 5 min, one attempt at a time is allowed. The first response with
 * any status closes the breaker.
 */
export class CircuitBreakers {
  readonly #breakers = new Map<string, Breaker>();
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The end of the pause for the origin. 0 when it has none. */
  pausedUntil(receiver: TenantOrigin): Time {
    return this.#breakers.get(originKey(receiver))?.pausedUntil ?? 0;
  }

  /** True while the breaker is open or half-open. An attempt that is made now is a probe. */
  isOpen(receiver: TenantOrigin): boolean {
    return (this.#breakers.get(originKey(receiver))?.openings ?? 0) > 0;
  }

  /** Adds the state that another process, or this one before a restart, has stored. */
  learn(receiver: TenantOrigin, openings: number, pausedUntil: Time): void {
    const key = originKey(receiver);
    if (!this.#breakers.has(key))
      this.#breakers.set(key, { unanswered: 0, openings, pausedUntil, usedAt: pausedUntil });
  }

  /** Closes the breaker. Returns true when it was open. */
  answered(receiver: TenantOrigin): boolean {
    const breaker = this.#breakers.get(originKey(receiver));
    this.#breakers.delete(originKey(receiver));
    return (breaker?.openings ?? 0) > 0;
  }

  /** Counts an attempt without a response. Attempts that began before the breaker opened are not counted again. */
  unanswered(receiver: TenantOrigin, probe: boolean, now: Time): Opening | undefined {
    const key = originKey(receiver);
    const breaker = this.#breakers.get(key) ?? { unanswered: 0, openings: 0, pausedUntil: 0, usedAt: now };
    this.#breakers.set(key, breaker);
    breaker.usedAt = now;
    if (breaker.openings > 0 && !probe) return undefined;
    breaker.unanswered += 1;
    if (breaker.openings === 0 && breaker.unanswered < patience) return undefined;
    breaker.openings += 1;
    const plannedMs = Math.min(firstPauseMs * 2 ** (breaker.openings - 1), maxPauseMs);
    const pauseMs = Math.round(plannedMs * (1 - jitter + 2 * jitter * this.#random()));
    breaker.pausedUntil = now + pauseMs;
    return { openings: breaker.openings, pauseMs };
  }

  /** Removes breakers that are no longer needed, so that their number stays limited. */
  tidy(now: Time): void {
    for (const [key, { usedAt, pausedUntil }] of this.#breakers)
      if (Math.max(usedAt, pausedUntil) + memoryMs < now) this.#breakers.delete(key);
  }
}
