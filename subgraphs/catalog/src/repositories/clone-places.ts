/** How many clones may run at once: in all, and of one tenant, so that its slow readers leave places for the others. */
export class ClonePlaces {
  readonly #most: number;
  readonly #mostPerTenant: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(most: number, mostPerTenant: number) {
    this.#most = most;
    this.#mostPerTenant = mostPerTenant;
  }

  /** A place, given back by calling it; undefined when none is free. */
  take(tenantId: string): (() => void) | undefined {
    const taken = this.#taken.get(tenantId) ?? 0;
    if (this.#total >= this.#most || taken >= this.#mostPerTenant) return undefined;
    this.#total += 1;
    this.#taken.set(tenantId, taken + 1);
    return () => this.#giveBack(tenantId);
  }

  #giveBack(tenantId: string): void {
    this.#total -= 1;
    const left = (this.#taken.get(tenantId) ?? 1) - 1;
    if (left > 0) this.#taken.set(tenantId, left);
    else this.#taken.delete(tenantId);
  }
}
