import { originKey, type WebhookLane } from "../webhook-messages/webhook-lane.js";

/** In milliseconds of the process's monotonic clock. */
type Time = number;

interface Breaker {
  /** Attempts in a row without an answer, while it is closed. */
  unanswered: number;
  /** 0 while it is closed. */
  openings: number;
  pausedUntil: Time;
  usedAt: Time;
}

/** An opening that others should know of. */
export interface Opening {
  readonly openings: number;
  readonly pauseMs: number;
}

const patience = 5;
const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;
const jitter = 0.2;
/** Afterwards what is known of a closed breaker, or one whose pause is over, no longer matters. */
const memoryMs = 10 * 60_000;

/**
 * Circuit breakers, one for each origin of a tenant. Five attempts in a row without any HTTP answer open it; after a
 * pause that doubles from 5 s to 5 min one attempt at a time is let through, and the first answer, whatever its status,
 * closes it.
 */
export class CircuitBreakers {
  readonly #breakers = new Map<string, Breaker>();
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** 0: nothing is paused. */
  pausedUntil(lane: WebhookLane): Time {
    return this.#breakers.get(originKey(lane))?.pausedUntil ?? 0;
  }

  /** Open or half-open: an attempt that is made now is a probe. */
  isOpen(lane: WebhookLane): boolean {
    return (this.#breakers.get(originKey(lane))?.openings ?? 0) > 0;
  }

  /** What another process, or this one before its last start, has found out. */
  learn(lane: WebhookLane, openings: number, pausedUntil: Time): void {
    const key = originKey(lane);
    if (!this.#breakers.has(key))
      this.#breakers.set(key, { unanswered: 0, openings, pausedUntil, usedAt: pausedUntil });
  }

  /** Returns whether it was open. */
  answered(lane: WebhookLane): boolean {
    const known = this.#breakers.get(originKey(lane));
    this.#breakers.delete(originKey(lane));
    return (known?.openings ?? 0) > 0;
  }

  /** Attempts that had begun before the breaker opened say nothing new. */
  unanswered(lane: WebhookLane, probe: boolean, now: Time): Opening | undefined {
    const key = originKey(lane);
    const breaker = this.#breakers.get(key) ?? { unanswered: 0, openings: 0, pausedUntil: 0, usedAt: now };
    this.#breakers.set(key, breaker);
    breaker.usedAt = now;
    if (breaker.openings > 0 && !probe) return undefined;
    breaker.unanswered += 1;
    if (breaker.openings === 0 && breaker.unanswered < patience) return undefined;
    breaker.openings += 1;
    const planned = Math.min(firstPauseMs * 2 ** (breaker.openings - 1), longestPauseMs);
    const pauseMs = Math.round(planned * (1 - jitter + 2 * jitter * this.#random()));
    breaker.pausedUntil = now + pauseMs;
    return { openings: breaker.openings, pauseMs };
  }

  /** Keeps the memory of receivers that are gone from growing. */
  tidy(now: Time): void {
    for (const [key, { usedAt, pausedUntil }] of this.#breakers)
      if (Math.max(usedAt, pausedUntil) + memoryMs < now) this.#breakers.delete(key);
  }
}
