import { DatabaseUnavailable } from "../errors/database-failure.js";
import type { ServerClient } from "./server-watch.js";

const patienceMs = 2000;

interface Waiting {
  readonly deadline: number;
  readonly admit: () => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * Shares a pool's connections among tenants: a tenant gets at most half, waiting tenants take turns, and a request
 * waits for at most 2 s. Time counts only while the event loop turns, so a stalled process refuses nothing.
 */
export class ConnectionShares implements ServerClient {
  readonly #maxPerTenant: number;
  readonly #held = new Map<string, number>();
  /** The waiting requests by tenant; the tenant with the next turn comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  #free: number;
  #clockMs = 0;

  constructor(connections: number) {
    this.#free = connections;
    this.#maxPerTenant = Math.max(1, Math.floor(connections / 2));
  }

  async run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayTake(tenantId)) this.#take(tenantId);
    else await this.#wait(tenantId);
    try {
      return await work();
    } finally {
      this.#giveBack(tenantId);
    }
  }

  sweep(clockMs: number): void {
    this.#clockMs = clockMs;
    for (const [tenantId, queue] of this.#queues) this.#refuseLate(tenantId, queue);
  }

  /** Refuses all waiting requests. */
  abandon(reason: Error): void {
    for (const queue of this.#queues.values()) for (const { refuse } of queue) refuse(reason);
    this.#queues.clear();
  }

  #mayTake(tenantId: string): boolean {
    return this.#free > 0 && (this.#held.get(tenantId) ?? 0) < this.#maxPerTenant;
  }

  #take(tenantId: string): void {
    this.#free -= 1;
    this.#held.set(tenantId, (this.#held.get(tenantId) ?? 0) + 1);
  }

  #giveBack(tenantId: string): void {
    const remainingCount = (this.#held.get(tenantId) ?? 1) - 1;
    if (remainingCount === 0) this.#held.delete(tenantId);
    else this.#held.set(tenantId, remainingCount);
    this.#free += 1;
    this.#admitNext();
  }

  #admitNext(): void {
    for (const [tenantId, queue] of this.#queues) {
      if (!this.#mayTake(tenantId)) continue;
      const next = queue.shift();
      this.#queues.delete(tenantId);
      if (queue.length > 0) this.#queues.set(tenantId, queue);
      if (!next) continue;
      this.#take(tenantId);
      next.admit();
      return;
    }
  }

  #wait(tenantId: string): Promise<void> {
    return new Promise((admit, refuse) => {
      const waiting = { deadline: this.#clockMs + patienceMs, admit, refuse };
      const queue = this.#queues.get(tenantId);
      if (queue) queue.push(waiting);
      else this.#queues.set(tenantId, [waiting]);
    });
  }

  #refuseLate(tenantId: string, queue: Waiting[]): void {
    const late = queue.findIndex(({ deadline }) => deadline > this.#clockMs);
    const reason = new DatabaseUnavailable("Crowded", "No connection became free in time");
    for (const { refuse } of queue.splice(0, late < 0 ? queue.length : late)) refuse(reason);
    if (queue.length === 0) this.#queues.delete(tenantId);
  }
}
