import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { DeliveryRecords } from "./delivery-records.js";
import type { NewDelivery, RecordedDelivery } from "./new-delivery.js";

interface Waiting {
  readonly deliveries: readonly NewDelivery[];
  readonly bytes: number;
  readonly isLarge: boolean;
  readonly resolve: (recorded: readonly RecordedDelivery[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Queue {
  readonly tenant: Tenant;
  readonly waiting: Waiting[];
  count: number;
  /** The bytes in all requests but a large one. */
  bytes: number;
  hasLarge: boolean;
}

interface RecorderLimits {
  readonly maxWaiting: number;
  readonly maxWaitingPerTenant: number;
  readonly maxWaitingBytes: number;
  readonly maxWaitingBytesPerTenant: number;
  /** The transactions at the same time, each for another tenant. */
  readonly maxTransactions: number;
  readonly maxBatch: number;
}

/** A request is large when it has more than this part of the bytes that may wait for a tenant. */
const largePart = 4;

const defaultLimits: RecorderLimits = {
  maxWaiting: 4096,
  maxWaitingPerTenant: 2048,
  maxWaitingBytes: 128 * 1024 * 1024,
  maxWaitingBytesPerTenant: 16 * 1024 * 1024,
  maxTransactions: 4,
  maxBatch: 128,
};

/**
 * Records deliveries in batches, one tenant after the other: while a tenant's transaction runs, its further deliveries
 * wait for the next one. A place in the queue is bounded, and the vendor sends a refused delivery again.
 */
export class DeliveryRecorder {
  readonly #records: Pick<DeliveryRecords, "write">;
  readonly #limits: RecorderLimits;
  /** In the order in which they take turns. A tenant is absent while its transaction runs and nothing waits. */
  readonly #queues = new Map<string, Queue>();
  readonly #running = new Set<string>();
  #waiting = 0;
  #bytes = 0;

  constructor(records: Pick<DeliveryRecords, "write">, limits: Partial<RecorderLimits> = {}) {
    this.#records = records;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Resolves after the commit. Throws UNAVAILABLE when the queue is full or the database does not answer. */
  record(tenant: Tenant, deliveries: readonly NewDelivery[]): Promise<readonly RecordedDelivery[]> {
    const queue = this.#queues.get(tenant.uuid) ?? { tenant, waiting: [], count: 0, bytes: 0, hasLarge: false };
    const bytes = deliveries.reduce((sum, { payload }) => sum + 2 * payload.length, 0);
    const { maxWaiting, maxWaitingPerTenant, maxWaitingBytes, maxWaitingBytesPerTenant } = this.#limits;
    const isLarge = bytes > maxWaitingBytesPerTenant / largePart;
    if (
      isFull(this.#waiting, deliveries.length, maxWaiting) ||
      isFull(queue.count, deliveries.length, maxWaitingPerTenant) ||
      isFull(this.#bytes, bytes, maxWaitingBytes) ||
      (isLarge ? queue.hasLarge : isFull(queue.bytes, bytes, maxWaitingBytesPerTenant))
    )
      throw new DomainError("UNAVAILABLE", {
        detail: "Too many deliveries wait to be recorded. Send the delivery again.",
        retryAfterSeconds: 1,
      });
    return new Promise((resolve, reject) => {
      queue.waiting.push({ deliveries, bytes, isLarge, resolve, reject });
      queue.count += deliveries.length;
      if (isLarge) queue.hasLarge = true;
      else queue.bytes += bytes;
      this.#waiting += deliveries.length;
      this.#bytes += bytes;
      this.#queues.set(tenant.uuid, queue);
      this.#next();
    });
  }

  #next(): void {
    for (const [uuid, queue] of this.#queues) {
      if (this.#running.size >= this.#limits.maxTransactions) return;
      if (!this.#running.has(uuid)) void this.#write(uuid, queue);
    }
  }

  async #write(uuid: string, queue: Queue): Promise<void> {
    const batch = this.#take(uuid, queue);
    this.#running.add(uuid);
    try {
      const outcomes = await this.#records.write(
        queue.tenant,
        batch.flatMap(({ deliveries }) => deliveries),
      );
      let place = 0;
      for (const { deliveries, resolve } of batch) {
        resolve(outcomes.slice(place, place + deliveries.length));
        place += deliveries.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running.delete(uuid);
      this.#next();
    }
  }

  /** Takes whole requests, and puts the tenant behind the others. */
  #take(uuid: string, queue: Queue): Waiting[] {
    const batch: Waiting[] = [];
    let size = 0;
    while (queue.waiting.length > 0 && size < this.#limits.maxBatch) {
      const waiting = queue.waiting.shift() as Waiting;
      batch.push(waiting);
      size += waiting.deliveries.length;
      this.#bytes -= waiting.bytes;
      if (waiting.isLarge) queue.hasLarge = false;
      else queue.bytes -= waiting.bytes;
    }
    queue.count -= size;
    this.#waiting -= size;
    this.#queues.delete(uuid);
    if (queue.waiting.length > 0) this.#queues.set(uuid, queue);
    return batch;
  }
}

/**
 * A request finds room alone, however large it is. Beside its tenant's small requests there is room for one large one.
 */
const isFull = (waiting: number, further: number, most: number): boolean => waiting > 0 && waiting + further > most;
