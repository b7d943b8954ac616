import type { FailureCounts, FailureKey } from "@factory/runtime/platform-limits/failure-counts";
import { FailureLimiter, failureWindowMs } from "./failure-limiter.js";
import { type TimedWindow, TimedWindows } from "./timed-windows.js";

/** An attempt that may be made now. `end` must follow, with whether it failed. */
interface Admission {
  end(failed: boolean): Promise<void>;
}

interface Refusal {
  readonly retryAfterSeconds: number;
}

/** When the other attempts that are too many may have ended. */
const pendingRetrySeconds = 1;

/**
 * Limits guesses at what people know, in 15 minutes and over all processes. An attempt costs two small statements,
 * which is little beside a password's digest. A blocked name costs none.
 */
export class GuessLimiter<A> {
  readonly #kind: string;
  readonly #limitsOf: (attempt: A) => readonly FailureKey[];
  readonly #own: FailureLimiter<A>;
  readonly #shared: FailureCounts | undefined;
  readonly #blocked: TimedWindows<TimedWindow>;
  readonly #clock: () => number;

  /** `kind` keeps the limiters' names apart. Without `sharedCounts` this is the only process. */
  constructor(
    kind: string,
    limitsOf: (attempt: A) => readonly FailureKey[],
    sharedCounts?: FailureCounts,
    clock: () => number = Date.now,
  ) {
    this.#kind = kind;
    this.#limitsOf = limitsOf;
    this.#own = new FailureLimiter(limitsOf, clock);
    this.#shared = sharedCounts;
    this.#clock = clock;
    this.#blocked = new TimedWindows(failureWindowMs, clock);
  }

  /** Counts an attempt, which counts as a failure until it ends. Nothing is counted when it is refused. */
  async begin(attempt: A): Promise<Admission | Refusal> {
    const retryAfterSeconds = this.#blockedFor(attempt);
    if (retryAfterSeconds !== undefined) return { retryAfterSeconds };
    const end = this.#own.begin(attempt);
    const sharedCounts = this.#shared;
    if (!sharedCounts) return { end: async (hasFailed) => end(hasFailed) };
    const limits = this.#limitsOf(attempt).map(({ key, limit }) => ({ key: `${this.#kind} ${key}`, limit }));
    try {
      const refusal = await sharedCounts.begin(limits, failureWindowMs);
      if (refusal === undefined)
        return {
          async end(hasFailed) {
            end(hasFailed);
            // an attempt whose end is not stored counts as pending until the window ends
            await sharedCounts.end(limits, hasFailed).catch(() => undefined);
          },
        };
      end(false);
      const { key, leftMs } = refusal;
      if (leftMs === undefined) return { retryAfterSeconds: pendingRetrySeconds };
      this.#blocked.set(key, { endsAt: this.#clock() + leftMs });
      return { retryAfterSeconds: Math.ceil(leftMs / 1000) };
    } catch (error) {
      end(false);
      throw error;
    }
  }

  #blockedFor(attempt: A): number | undefined {
    for (const { key } of this.#limitsOf(attempt)) {
      const window = this.#blocked.find(`${this.#kind} ${key}`);
      if (window) return Math.ceil(this.#blocked.leftMs(window) / 1000);
    }
    return this.#own.blockedFor(attempt);
  }
}
