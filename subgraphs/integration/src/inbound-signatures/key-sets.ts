import type { Egress } from "@factory/runtime/egress/egress";
import type { JWK } from "jose";
import { LRUCache } from "lru-cache";
import { type FindKeys, KeysUnavailable } from "./detached-jws.js";

/** Bounds of the cache of key sets. */
export interface KeySetLimits {
  readonly maxSets: number;
  /** A set is read again after this time. */
  readonly maxAgeMs: number;
  /** A set that cannot be read again serves for this time after it was read. */
  readonly maxStaleMs: number;
  /** The shortest time between two reads of a set, for example for unknown key ids. */
  readonly coolDownMs: number;
  /** The reads of one tenant at the same time. */
  readonly readsPerTenant: number;
}

const defaultLimits: KeySetLimits = {
  maxSets: 1_000,
  maxAgeMs: 600_000,
  maxStaleMs: 86_400_000,
  coolDownMs: 30_000,
  readsPerTenant: 4,
};

const maxBytes = 64 * 1_024;
const maxKeys = 20;

interface KeySet {
  keys: readonly JWK[] | undefined;
  readAt: number;
  triedAt: number;
  reading: Promise<void> | undefined;
}

/** The key sets (RFC 7517) of vendors, read through the client for URLs of tenants and kept in memory. */
export class KeySets {
  readonly #egress: Egress;
  readonly #clock: () => Date;
  readonly #limits: KeySetLimits;
  readonly #sets: LRUCache<string, KeySet>;
  readonly #reads = new Map<string, number>();

  constructor(egress: Egress, clock: () => Date = () => new Date(), limits: Partial<KeySetLimits> = {}) {
    this.#egress = egress;
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
    this.#sets = new LRUCache({ max: this.#limits.maxSets });
  }

  /** The keys at a URL for one tenant. Tenants share no set, so that none of them delays the reads of another. */
  of(tenantId: string, url: string): FindKeys {
    return async (keyId) => {
      const set = this.#setOf(tenantId, url);
      if (this.#isFresh(set) && hasKey(set, keyId)) return set.keys ?? [];
      if (set.reading === undefined && this.#mayRead(set))
        set.reading = this.#startRead(tenantId, url, set).finally(() => {
          set.reading = undefined;
        });
      await set.reading;
      if (set.keys === undefined || this.#now() - set.readAt > this.#limits.maxStaleMs)
        throw new KeysUnavailable("The key set of the vendor cannot be read.");
      return set.keys;
    };
  }

  #now(): number {
    return this.#clock().getTime();
  }

  #setOf(tenantId: string, url: string): KeySet {
    const name = `${tenantId} ${url}`;
    const known = this.#sets.get(name);
    if (known) return known;
    const set: KeySet = { keys: undefined, readAt: 0, triedAt: Number.NEGATIVE_INFINITY, reading: undefined };
    this.#sets.set(name, set);
    return set;
  }

  #isFresh({ keys, readAt }: KeySet): boolean {
    return keys !== undefined && this.#now() - readAt <= this.#limits.maxAgeMs;
  }

  #mayRead({ triedAt }: KeySet): boolean {
    return this.#now() - triedAt >= this.#limits.coolDownMs;
  }

  async #startRead(tenantId: string, url: string, set: KeySet): Promise<void> {
    const open = this.#reads.get(tenantId) ?? 0;
    if (open >= this.#limits.readsPerTenant) return;
    this.#reads.set(tenantId, open + 1);
    set.triedAt = this.#now();
    try {
      set.keys = await this.#read(url);
      set.readAt = this.#now();
    } catch {
      // The set that was read before serves on, see maxStaleMs.
    } finally {
      const left = (this.#reads.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#reads.delete(tenantId);
      else this.#reads.set(tenantId, left);
    }
  }

  async #read(url: string): Promise<readonly JWK[]> {
    const answer = await this.#egress.request(url, {
      method: "GET",
      headers: { accept: "application/jwk-set+json, application/json" },
      timeoutMs: 5_000,
      connectTimeoutMs: 3_000,
      maxResponseBytes: maxBytes,
    });
    if (answer.status !== 200 || answer.truncated) throw new KeysUnavailable(`The key set answered ${answer.status}.`);
    const { keys } = JSON.parse(answer.body.toString("utf8")) as { keys?: unknown };
    if (!Array.isArray(keys) || keys.length > maxKeys)
      throw new KeysUnavailable(`A key set has a list of at most ${maxKeys} keys.`);
    return keys.filter((key): key is JWK => typeof key === "object" && key !== null);
  }
}

const hasKey = ({ keys }: KeySet, keyId: string | undefined): boolean =>
  keyId === undefined || (keys?.some(({ kid }) => kid === keyId) ?? false);
