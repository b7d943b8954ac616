import { editionFactor } from "@factory/schema/edition-factors";
import { FixedWindowLimiter } from "./fixed-window-limiter.js";

/** Recipients of notifications in 60 seconds, of a tenant with the edition Standard. */
const recipientsLimit = 6000;

/** Limits how many notifications a tenant requests, since each of them is a row with events. */
export class RecipientRateLimiter {
  readonly #limiter: FixedWindowLimiter;
  readonly #factor: number;

  /** `factor` multiplies the limit. */
  constructor(factor = 1, clock?: () => number) {
    this.#factor = factor;
    this.#limiter = new FixedWindowLimiter(clock);
  }

  /** Counts the recipients of one request. Returns the seconds to wait if they exceed the limit. */
  consume(tenantId: string, editionCode: string | undefined, recipients: number): number | undefined {
    const limit = Math.max(1, Math.floor(recipientsLimit * this.#factor * editionFactor(editionCode)));
    return this.#limiter.consume(tenantId, limit, recipients);
  }
}
