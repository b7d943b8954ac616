/** A tenant counts as busy after this much recent work. */
const busyAfterMs = 2000;
/** The share of the elapsed time that is subtracted from a tenant's recorded use. */
const decay = 0.1;
/** The limit for the recorded use, so that a tenant is busy for at most three minutes after its work has ended. */
const maxRememberedMs = 20_000;

interface Account {
  readonly startedAt: Set<{ readonly ms: number }>;
  usedMs: number;
  /** The time at which `usedMs` was recorded. */
  at: number;
}

/**
 * Shares a lane's processes among tenants. One tenant never gets all processes, and all busy tenants together leave one
 * process to the others.
 */
export class TenantShares {
  readonly #maxPerTenant: number;
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();

  constructor(places: number, now = () => performance.now()) {
    this.#maxPerTenant = places - 1;
    this.#now = now;
  }

  mayTake(tenantId: string): boolean {
    const account = this.#accounts.get(tenantId);
    if (!account) return true;
    if (account.startedAt.size >= this.#maxPerTenant) return false;
    return !this.#isBusy(account) || this.#heldByBusy() < this.#maxPerTenant;
  }

  /** Starts a use. Returns the function that ends it; `penaltyMs` is added to the recorded time. */
  take(tenantId: string): (penaltyMs?: number) => void {
    this.#forget();
    const account = this.#accounts.get(tenantId) ?? { startedAt: new Set(), usedMs: 0, at: this.#now() };
    this.#accounts.set(tenantId, account);
    const start = { ms: this.#now() };
    account.startedAt.add(start);
    return (penaltyMs = 0) => {
      if (!account.startedAt.delete(start)) return;
      const now = this.#now();
      account.usedMs = Math.min(maxRememberedMs, this.#remembered(account) + now - start.ms + penaltyMs);
      account.at = now;
    };
  }

  #isBusy(account: Account): boolean {
    const now = this.#now();
    let usedMs = this.#remembered(account);
    for (const { ms } of account.startedAt) usedMs += now - ms;
    return usedMs > busyAfterMs;
  }

  #heldByBusy(): number {
    let heldProcesses = 0;
    for (const account of this.#accounts.values()) if (this.#isBusy(account)) heldProcesses += account.startedAt.size;
    return heldProcesses;
  }

  #remembered({ usedMs, at }: Account): number {
    return Math.max(0, usedMs - (this.#now() - at) * decay);
  }

  #forget(): void {
    for (const [tenantId, account] of this.#accounts)
      if (account.startedAt.size === 0 && this.#remembered(account) === 0) this.#accounts.delete(tenantId);
  }
}
