import { FixedWindowLimiter } from "./fixed-window-limiter.js";

const tokensPerWindow = 600;
const editionFactors: Readonly<Record<string, number>> = { Free: 0.2, Standard: 1, Enterprise: 10 };

/** Requests of each client at the token endpoint: 600 in 60 seconds, edition Standard. */
export class TokenRateLimiter {
  readonly #windows: FixedWindowLimiter;
  readonly #factor: number;

  constructor(factor = 1, clock?: () => number) {
    this.#factor = factor;
    this.#windows = new FixedWindowLimiter(clock);
  }

  /** Counts one request; seconds to wait when it is one too many. */
  spend(key: string, editionCode: string): number | undefined {
    return this.#windows.spend(key, this.#limit(editionCode));
  }

  /** Seconds to wait when the next request would be one too many. */
  blockedFor(key: string, editionCode: string): number | undefined {
    return this.#windows.blockedFor(key, this.#limit(editionCode));
  }

  #limit(editionCode: string): number {
    return Math.max(1, Math.floor(tokensPerWindow * this.#factor * (editionFactors[editionCode] ?? 1)));
  }
}
