import type { CallPurpose } from "./exchange/vendor-call.js";

/** How a vendor call ended. `refused` is an answer with a status from 400 to 499. */
export type CallResult =
  | "answered"
  | "refused"
  | "rejected"
  | "limited"
  | "failed"
  | "timeout"
  | "unreachable"
  | "paused"
  | "unusable";

/** A counter with its labels, each from a closed set. */
export interface CallCount {
  /** The name of a preset of the platform, or `other`: the keys of tenants are not a closed set. */
  readonly provider: string;
  readonly purpose: CallPurpose;
  readonly outcome: CallResult;
  readonly count: number;
}

/** Counts the vendor calls of this process, for its metrics. */
export class VendorCallCounts {
  readonly #counts = new Map<string, CallCount>();
  #fallbacks = 0;

  add(provider: string | null | undefined, purpose: CallPurpose, outcome: CallResult): void {
    const labels = { provider: provider ?? "other", purpose, outcome };
    const key = Object.values(labels).join(" ");
    this.#counts.set(key, { ...labels, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }

  /** Counts an answer that only the Previous version of a credential got. */
  addFallback(): void {
    this.#fallbacks += 1;
  }

  get fallbacks(): number {
    return this.#fallbacks;
  }

  get all(): readonly CallCount[] {
    return [...this.#counts.values()];
  }
}
