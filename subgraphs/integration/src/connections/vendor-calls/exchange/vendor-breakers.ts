import { CircuitBreakers } from "../../../ground/egress/circuit-breakers.js";
import { originKey, type TenantOrigin } from "../../../ground/egress/tenant-origin.js";
import { paused } from "./call-failure.js";

/** An exchange that may begin. The caller leaves at its end. */
interface Entry {
  /** Whether the exchange finds out if the vendor works again. */
  readonly probe: boolean;
  readonly leave: () => void;
}

const tidyEveryMs = 60_000;

/** The vendors' breakers, one for each tenant's origin: for their APIs and for their mail servers. */
export class VendorBreakers {
  readonly #breakers = new CircuitBreakers();
  readonly #probing = new Set<string>();
  #tidyAt = 0;

  /** Throws UNAVAILABLE while the breaker is open. After its pause one exchange at a time may try. */
  enter(receiver: TenantOrigin): Entry {
    const now = performance.now();
    if (now >= this.#tidyAt) {
      this.#tidyAt = now + tidyEveryMs;
      this.#breakers.tidy(now);
    }
    if (!this.#breakers.isOpen(receiver)) return { probe: false, leave: () => undefined };
    const key = originKey(receiver);
    const waitMs = this.#breakers.pausedUntil(receiver) - now;
    if (waitMs > 0 || this.#probing.has(key))
      throw paused("UNAVAILABLE", "The vendor did not answer several times, so calls to it pause.", waitMs);
    this.#probing.add(key);
    return { probe: true, leave: () => this.#probing.delete(key) };
  }

  answered(receiver: TenantOrigin): void {
    this.#breakers.answered(receiver);
  }

  unanswered(receiver: TenantOrigin, probe: boolean): void {
    this.#breakers.unanswered(receiver, probe, performance.now());
  }
}
