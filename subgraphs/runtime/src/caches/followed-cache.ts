import { LRUCache } from "lru-cache";
import { atMost } from "./entry-limit.js";

/** A cache has a limit for its entries, or for their bytes, or both. */
interface Options<V> {
  /** A notice can be lost, so a value is read again when this time has passed since its read began. */
  readonly freshMs: number;
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  readonly bytesOf?: (value: V, key: string) => number;
  /** Whether a value stays in memory as the last known one when it is too old. Otherwise its next lookup removes it. */
  readonly keepsOld?: boolean;
  /** False for a value that is not kept. The former value then stays. */
  readonly keeps?: (value: V, former: V | undefined) => boolean;
}

interface Entry<V> {
  readonly value: V;
  /** The promise of the value, so that no hit needs another one. */
  readonly promise: Promise<V>;
  readonly generation: number;
}

interface Read<V> {
  readonly promise: Promise<V>;
  /** Milliseconds of the monotonic clock. */
  readonly begunAt: number;
}

/**
 * Values by key, which are read when they are first needed, and dropped when a notice tells of a change. Requests at the
 * same time share one read. A drop during a read also applies to the value that it returns, which may be older than the
 * change.
 */
export class FollowedCache<V> {
  readonly #freshMs: number;
  readonly #keeps: (value: V, former: V | undefined) => boolean;
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #reads = new Map<string, Read<V>>();
  /** Rises when all values become outdated at once. */
  #generation = 0;

  constructor({ freshMs, maxEntries = 0, maxBytes, bytesOf = () => 1, ...options }: Options<V>) {
    this.#freshMs = freshMs;
    this.#keeps = options.keeps ?? (() => true);
    this.#entries = new LRUCache<string, Entry<V>>({
      ...(maxBytes === undefined
        ? atMost(maxEntries)
        : { max: maxEntries, maxSize: maxBytes, sizeCalculation: ({ value }, key) => bytesOf(value, key) }),
      // lru-cache reads the clock once in a millisecond, which is cheaper than a time of our own at each hit
      ttl: freshMs,
      noDeleteOnStaleGet: options.keepsOld ?? false,
    });
  }

  /** The value in memory, unless it is due to be read again. */
  fresh(key: string): V | undefined {
    const entry = this.#entries.get(key);
    return entry?.generation === this.#generation ? entry.value : undefined;
  }

  /** The fresh value, or the read under way. A caller who finds neither begins a read and hands it to `keep`. */
  find(key: string): Promise<V> | undefined {
    const entry = this.#entries.get(key);
    if (entry?.generation === this.#generation) return entry.promise;
    const openRead = this.#reads.get(key);
    return openRead && performance.now() - openRead.begunAt < this.#freshMs ? openRead.promise : undefined;
  }

  /** The value in memory, however old it is. */
  lastKnown(key: string): V | undefined {
    return this.#entries.peek(key, { allowStale: true })?.value;
  }

  /** The keys of the values that are not too old. */
  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** Shares a read that begins now. Its value is kept unless the key is dropped before the read ends. */
  keep(key: string, reading: Promise<V>): Promise<V> {
    const begunAt = performance.now();
    const promise: Promise<V> = reading.then(
      (value) => {
        const isCurrent = this.#end(key, promise);
        if (isCurrent && this.#keeps(value, this.lastKnown(key)))
          this.#entries.set(key, { value, promise, generation: this.#generation }, { start: begunAt });
        return value;
      },
      (error: unknown) => {
        this.#end(key, promise);
        throw error;
      },
    );
    this.#reads.set(key, { promise, begunAt });
    return promise;
  }

  /** Without a key everything is dropped, because notices were lost with the connection. */
  drop(key: string | undefined): void {
    this.dropReads(key);
    if (key) this.#entries.delete(key);
    else this.#entries.clear();
  }

  /** Later requests do not share the reads under way, and their values are not kept. */
  dropReads(key?: string): void {
    if (key) this.#reads.delete(key);
    else this.#reads.clear();
  }

  dropWhere(isChanged: (value: V, key: string) => boolean): void {
    for (const [key, { value }] of this.#entries.entries()) if (isChanged(value, key)) this.#entries.delete(key);
  }

  /** Every value is read again at its next use. Until then it stays in memory as the last known one. */
  outdate(): void {
    this.dropReads();
    this.#generation += 1;
  }

  /** False when the key was dropped during the read. */
  #end(key: string, promise: Promise<V>): boolean {
    return this.#reads.get(key)?.promise === promise && this.#reads.delete(key);
  }
}
