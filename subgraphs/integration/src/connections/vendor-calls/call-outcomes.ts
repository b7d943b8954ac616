import type { CallPurpose } from "./exchange/vendor-call.js";

/** A call's result, as evidence about its connection. */
export interface CallOutcome {
  readonly tenantId: string;
  readonly connectionId: string;
  readonly purpose: CallPurpose;
  /** The vendor answered with a status below 500, and rejected neither the credential nor the call rate. */
  readonly ok: boolean;
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly credentialRejected: boolean;
  readonly rateLimited: boolean;
  readonly runId: string | undefined;
}

/** Tells the slices below each vendor call's outcome. A listener must not throw and must not wait. */
export class VendorCallOutcomes {
  readonly #listeners: ((outcome: CallOutcome) => void)[] = [];

  listen(listener: (outcome: CallOutcome) => void): void {
    this.#listeners.push(listener);
  }

  report(outcome: CallOutcome): void {
    for (const listener of this.#listeners) listener(outcome);
  }
}
