import { PlatformBudgets } from "@factory/runtime/platform-limits/platform-budgets";
import { editionFactor } from "@factory/schema/edition-factors";

/** Notification recipients in 60 seconds, for a tenant with the edition Standard. */
const recipientsLimit = 6000;

/** Limits how many notifications a tenant requests, since each one is a row with events. */
export class RecipientRateLimiter {
  readonly #budgets: PlatformBudgets;
  readonly #factor: number;

  /** `factor` multiplies the limit. Without `budgets` this is the only process. */
  constructor(factor = 1, budgets = new PlatformBudgets()) {
    this.#factor = factor;
    this.#budgets = budgets;
  }

  /** Counts one request's recipients. Resolves to the seconds to wait if they exceed the limit. */
  async consume(tenantId: string, editionCode: string | undefined, recipients: number): Promise<number | undefined> {
    const limit = Math.max(1, Math.floor(recipientsLimit * this.#factor * editionFactor(editionCode)));
    const key = `recipients ${tenantId}`;
    const { exceeded, waitMs } = await this.#budgets.spend({ key, limit, points: recipients });
    return exceeded ? Math.ceil(waitMs / 1000) : undefined;
  }
}
