import { DomainError } from "@factory/runtime/errors/domain-error";
import { isOutage } from "@factory/runtime/errors/unavailable";
import type { Tenant } from "@factory/runtime/tenancy/tenant";

/** The result for one item in a batch. A refused item has changed nothing. */
export type ItemOutcome<Result> = { readonly done: Result } | { readonly refused: unknown };

/** Writes one tenant's items in one transaction, and returns their outcomes in the same order. */
type WriteBatch<Item, Result> = (tenant: Tenant, items: readonly Item[]) => Promise<readonly ItemOutcome<Result>[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchLimits {
  readonly maxBatch: number;
  readonly maxWaitingPerTenant: number;
  readonly patienceMs: number;
}

const defaultLimits: BatchLimits = { maxBatch: 64, maxWaitingPerTenant: 1024, patienceMs: 5000 };

/**
 * Writes what one tenant's calls store at the same time in one transaction. An item is written at once, unless its
 * tenant's batch is under way; then it waits for the next one. So a tenant needs one connection, and one log flush, for
 * many calls.
 */
export class TenantBatches<Item, Result> {
  readonly #write: WriteBatch<Item, Result>;
  readonly #limits: BatchLimits;
  /** The waiting items for the tenants whose batch is under way. */
  readonly #waiting = new Map<string, Set<Waiting<Item, Result>>>();

  constructor(write: WriteBatch<Item, Result>, limits: Partial<BatchLimits> = {}) {
    this.#write = write;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Resolves after the commit. Throws UNAVAILABLE when too many wait, or for too long, and what the writer throws. */
  add(tenant: Tenant, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(tenant.uuid);
      if (waiting) this.#queue(waiting, { item, resolve, reject });
      else {
        this.#waiting.set(tenant.uuid, new Set());
        void this.#run(tenant, [{ item, resolve, reject }]);
      }
    });
  }

  #queue(waiting: Set<Waiting<Item, Result>>, { item, resolve, reject }: Waiting<Item, Result>): void {
    const { maxWaitingPerTenant, patienceMs } = this.#limits;
    if (waiting.size >= maxWaitingPerTenant) {
      reject(tooBusy());
      return;
    }
    const timer = setTimeout(() => {
      if (waiting.delete(entry)) reject(tooBusy());
    }, patienceMs).unref();
    const settleWith =
      <T>(settle: (value: T) => void) =>
      (value: T) => {
        clearTimeout(timer);
        settle(value);
      };
    const entry = { item, resolve: settleWith(resolve), reject: settleWith(reject) };
    waiting.add(entry);
  }

  async #run(tenant: Tenant, first: readonly Waiting<Item, Result>[]): Promise<void> {
    const waiting = this.#waiting.get(tenant.uuid) ?? new Set();
    let batch = first;
    while (batch.length > 0) {
      await this.#settle(tenant, batch);
      batch = [...waiting].slice(0, this.#limits.maxBatch);
      for (const entry of batch) waiting.delete(entry);
    }
    this.#waiting.delete(tenant.uuid);
  }

  async #settle(tenant: Tenant, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await this.#write(
        tenant,
        batch.map(({ item }) => item),
      );
      for (const [place, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[place];
        if (outcome && "done" in outcome) resolve(outcome.done);
        else reject(outcome?.refused ?? new Error("A batch has no outcome for one of its items"));
      }
    } catch (error) {
      // One item must not fail the others. None was committed, or the database is away.
      if (batch.length > 1 && !isOutage(error)) for (const entry of batch) await this.#settle(tenant, [entry]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

const tooBusy = () =>
  new DomainError("UNAVAILABLE", {
    detail: "Too many calls of this tenant wait for the database. Try again in a moment.",
    retryAfterSeconds: 1,
  });
