import { DomainError } from "../errors/domain-error.js";

/** So much work of one tenant at once, in this process; more is refused, as somebody waits for each with the request open. */
export class TenantSlots {
  readonly #most: number;
  readonly #works: string;
  readonly #running = new Map<string, number>();

  /** `works`: plural, for the refusal. */
  constructor(most: number, works: string) {
    this.#most = most;
    this.#works = works;
  }

  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(tenantId) ?? 0;
    if (running >= this.#most)
      throw new DomainError("RATE_LIMITED", { detail: `${this.#most} ${this.#works} of this tenant are running.` });
    this.#running.set(tenantId, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#running.delete(tenantId);
      else this.#running.set(tenantId, left);
    }
  }
}
