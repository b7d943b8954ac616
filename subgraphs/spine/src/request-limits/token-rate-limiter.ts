import { editionFactor } from "@factory/schema/edition-factors";
import { FixedWindowLimiter } from "./fixed-window-limiter.js";

/** Requests in 60 seconds by a client of a tenant with the edition Standard. */
const tokenRequestsLimit = 600;

/** Limits the requests of each client at the token endpoint, by the edition of its tenant. */
export class TokenRateLimiter {
  readonly #limiter: FixedWindowLimiter;
  readonly #factor: number;

  /** `factor` multiplies the limits. */
  constructor(factor = 1, clock?: () => number) {
    this.#factor = factor;
    this.#limiter = new FixedWindowLimiter(clock);
  }

  /** Counts one request. Returns the seconds to wait if it exceeds the limit. */
  consume(key: string, editionCode: string): number | undefined {
    return this.#limiter.consume(key, this.#limitOf(editionCode));
  }

  /** Counts nothing. Returns the seconds to wait if the next request would exceed the limit. */
  blockedFor(key: string, editionCode: string): number | undefined {
    return this.#limiter.blockedFor(key, this.#limitOf(editionCode));
  }

  #limitOf(editionCode: string): number {
    return Math.max(1, Math.floor(tokenRequestsLimit * this.#factor * editionFactor(editionCode)));
  }
}
