import { OriginSlots, type SlotLimits, slotLimits } from "../../../ground/egress/origin-slots.js";
import { rateLimited } from "./call-failure.js";

interface Waiter {
  readonly connection: string;
  readonly enter: () => void;
}

const shortCalls: SlotLimits = { ...slotLimits, maxPerOrigin: 8 };
/** The limits for calls whose answers take minutes: they hold a socket and little else. */
export const longCalls: SlotLimits = {
  maxTotal: 512,
  maxPerTenant: 64,
  maxPerOrigin: 64,
  reserved: 256,
  maxPerTenantOfReserved: 8,
};
const maxWaitingPerTenant = 256;

/**
 * Limits the exchanges with vendors that this process has open: 8 per connection, 32 per tenant, 256 in all; the last
 * 64 go to tenants with few. Others wait in the order in which they came; tenants take turns. For calls that take
 * minutes the limits are `longCalls`.
 */
export class CallSlots {
  readonly #slots: OriginSlots;
  readonly #waiting = new Map<string, Set<Waiter>>();

  constructor(limits: SlotLimits = shortCalls) {
    this.#slots = new OriginSlots(limits);
  }

  /** As `take`, without waiting. Undefined when no slot is free. */
  takeFree(tenant: string, connection: string): (() => void) | undefined {
    return this.#slots.take({ tenant, origin: connection }) ? this.#freeing(tenant, connection) : undefined;
  }

  /** Resolves with the function that frees the slot. Throws RATE_LIMITED or the signal's reason. */
  async take(tenant: string, connection: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#slots.take({ tenant, origin: connection })) await this.#wait(tenant, connection, signal);
    return this.#freeing(tenant, connection);
  }

  #freeing(tenant: string, connection: string): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#slots.free({ tenant, origin: connection });
      this.#admit();
    };
  }

  #wait(tenant: string, connection: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(tenant) ?? new Set();
    if (waiting.size >= maxWaitingPerTenant)
      throw rateLimited("Too many vendor calls of this tenant wait already.", 1000);
    this.#waiting.set(tenant, waiting);
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(waiter);
        if (waiting.size === 0) this.#waiting.delete(tenant);
        signal.removeEventListener("abort", abort);
      };
      const abort = () => {
        leave();
        reject(signal.reason as Error);
      };
      const enter = () => {
        leave();
        resolve();
      };
      const waiter: Waiter = { connection, enter };
      signal.addEventListener("abort", abort, { once: true });
      waiting.add(waiter);
    });
  }

  /** Admits waiters until no slot is left. A tenant that was served takes its next turn last. */
  #admit(): void {
    for (const tenant of [...this.#waiting.keys()]) {
      const waiting = this.#waiting.get(tenant);
      const next = waiting && this.#first(tenant, waiting);
      if (!waiting || !next) continue;
      this.#waiting.delete(tenant);
      this.#waiting.set(tenant, waiting);
      next.enter();
    }
  }

  /** The first waiter that a slot was taken for. */
  #first(tenant: string, waiting: ReadonlySet<Waiter>): Waiter | undefined {
    if (!this.#slots.hasRoomFor(tenant)) return undefined;
    for (const waiter of waiting) if (this.#slots.take({ tenant, origin: waiter.connection })) return waiter;
    return undefined;
  }
}
