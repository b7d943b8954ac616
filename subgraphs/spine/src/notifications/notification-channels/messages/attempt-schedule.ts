import type { Delivery } from "../../notifications/delivery/channel-driver.js";

/** When a delivery is tried again that cannot be made now. */
export interface AttemptTimes {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** The age at which a notification is given up. */
  readonly patienceMs: number;
}

/** A mail server tries for longer (RFC 5321, section 4.5.4.1), but a notification is useless then. */
const defaultTimes: AttemptTimes = { firstPauseMs: 30_000, longestPauseMs: 3_600_000, patienceMs: 24 * 3_600_000 };

/**
 * Postpones deliveries that cannot be made now. The pause is as long as the notification has waited, so that it doubles from
 * the first to the longest one.
 */
export class AttemptSchedule {
  readonly #times: AttemptTimes;

  constructor(times: AttemptTimes = defaultTimes) {
    this.#times = times;
  }

  get firstPauseMs(): number {
    return this.#times.firstPauseMs;
  }

  /** Undefined after the patience. */
  next(createdAt: Date, now: Date): Date | undefined {
    const { firstPauseMs, longestPauseMs, patienceMs } = this.#times;
    const waitedMs = now.getTime() - createdAt.getTime();
    if (waitedMs >= patienceMs) return undefined;
    return new Date(now.getTime() + Math.min(longestPauseMs, Math.max(firstPauseMs, waitedMs)));
  }

  /** Tries the delivery again later, or fails it with the reason when it was tried for long enough. */
  async tryLater(delivery: Delivery, reason: string): Promise<void> {
    const next = this.next(delivery.notification.createdAt, new Date());
    if (next) await delivery.postpone(next);
    else await delivery.settle({ status: "Failed", reason });
  }
}
