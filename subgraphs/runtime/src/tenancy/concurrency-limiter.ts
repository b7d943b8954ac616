import { DomainError } from "../errors/domain-error.js";

interface ConcurrencyLimits {
  readonly maxPerTenant: number;
  /** The limit for all tenants together. Absent: no limit. */
  readonly maxTotal?: number;
}

/**
 * Limits how much work runs at once in this process, for each tenant and in all. Work over a limit is refused at once:
 * a caller waits with an open request, so a queue would only hide the refusal.
 */
export class ConcurrencyLimiter {
  readonly #maxPerTenant: number;
  readonly #maxTotal: number;
  readonly #works: string;
  readonly #running = new Map<string, number>();
  #total = 0;

  /** `works` names the work in the plural, for the refusal. */
  constructor({ maxPerTenant, maxTotal = Number.POSITIVE_INFINITY }: ConcurrencyLimits, works: string) {
    this.#maxPerTenant = maxPerTenant;
    this.#maxTotal = maxTotal;
    this.#works = works;
  }

  /** Takes a place and returns the function that gives it back; undefined when a limit is reached. */
  acquire(tenantId: string): (() => void) | undefined {
    const running = this.#running.get(tenantId) ?? 0;
    if (this.#total >= this.#maxTotal || running >= this.#maxPerTenant) return undefined;
    this.#total += 1;
    this.#running.set(tenantId, running + 1);
    return () => this.#release(tenantId);
  }

  /** Runs the work in its own place; throws RATE_LIMITED when a limit is reached. */
  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const release = this.acquire(tenantId);
    if (release === undefined) throw this.#refusal();
    try {
      return await work();
    } finally {
      release();
    }
  }

  #release(tenantId: string): void {
    this.#total -= 1;
    const runningCount = (this.#running.get(tenantId) ?? 1) - 1;
    if (runningCount > 0) this.#running.set(tenantId, runningCount);
    else this.#running.delete(tenantId);
  }

  #refusal(): DomainError {
    return new DomainError("RATE_LIMITED", {
      detail: `At most ${this.#maxPerTenant} ${this.#works} of one tenant run at once. Wait until one of them has ended, then try again.`,
    });
  }
}
