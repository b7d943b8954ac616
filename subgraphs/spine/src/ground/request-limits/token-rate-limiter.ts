import { type BudgetState, PlatformBudgets, type Spending } from "@factory/runtime/platform-limits/platform-budgets";
import { editionFactor } from "@factory/schema/edition-factors";

/** Requests in 60 seconds by a client in a tenant with the edition Standard. */
const tokenRequestsLimit = 600;

/** Limits each client's requests at the token endpoint, by its tenant's edition. */
export class TokenRateLimiter {
  readonly #budgets: PlatformBudgets;
  readonly #factor: number;

  /** `factor` multiplies the limits. Without `budgets` this is the only process. */
  constructor(factor = 1, budgets = new PlatformBudgets()) {
    this.#factor = factor;
    this.#budgets = budgets;
  }

  /** Counts one request. Returns the seconds to wait if it exceeds the limit. */
  consume(clientId: string, editionCode: string): number | undefined {
    return secondsToWait(this.#budgets.take(this.#requestOf(clientId, editionCode)));
  }

  /** Counts nothing. Returns the seconds to wait if the next request would exceed the limit. */
  blockedFor(clientId: string, editionCode: string): number | undefined {
    return secondsToWait(this.#budgets.look(this.#requestOf(clientId, editionCode)));
  }

  #requestOf(clientId: string, editionCode: string): Spending {
    const limit = Math.max(1, Math.floor(tokenRequestsLimit * this.#factor * editionFactor(editionCode)));
    return { key: `token ${clientId}`, limit };
  }
}

const secondsToWait = ({ exceeded, waitMs }: BudgetState) => (exceeded ? Math.ceil(waitMs / 1000) : undefined);
