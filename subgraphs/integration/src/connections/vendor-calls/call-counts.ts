import type { DomainError } from "@factory/runtime/errors/domain-error";
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
interface CallCount {
  /** The name that a platform preset has, or `other`: tenants' keys are not a closed set. */
  readonly provider: string;
  /** `token` is a request to a token endpoint, for whichever call. */
  readonly purpose: CallPurpose | "token";
  readonly outcome: CallResult;
  readonly count: number;
}

/** Counts this process's vendor calls, for its metrics. */
export class VendorCallCounts {
  readonly #counts = new Map<string, CallCount>();
  #fallbacks = 0;

  add(provider: string | null | undefined, purpose: CallCount["purpose"], outcome: CallResult): void {
    const labels = { provider: provider ?? "other", purpose, outcome };
    const key = Object.values(labels).join(" ");
    this.#counts.set(key, { ...labels, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }

  /** Counts an answer that only the credential's Previous version got. */
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

/** The result when the vendor has answered a call. */
export function resultOfStatus(status: number): CallResult {
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "answered";
}

/** The result when a call ended with a refusal. */
export function resultOfRefusal({ code }: DomainError): CallResult {
  if (code === "CREDENTIAL_REJECTED") return "rejected";
  if (code === "RATE_LIMITED") return "limited";
  if (code === "UPSTREAM_TIMEOUT") return "timeout";
  if (code === "UPSTREAM_FAILED") return "unreachable";
  return code === "UNAVAILABLE" ? "paused" : "unusable";
}
