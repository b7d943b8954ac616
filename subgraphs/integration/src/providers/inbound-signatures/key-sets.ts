import type { Egress } from "@factory/runtime/egress/egress";
import type { JWK } from "jose";
import { LRUCache } from "lru-cache";
import { type FindKeys, KeysUnavailable } from "./detached-jws.js";

/** Bounds for the cache that holds key sets. */
interface KeySetLimits {
  readonly maxSets: number;
  /** Further sets for a tenant displace its own ones only. */
  readonly maxSetsPerTenant: number;
  /** A set is read again after this time. */
  readonly maxAgeMs: number;
  /** A set that cannot be read again serves for this time after it was read. */
  readonly maxStaleMs: number;
  /** The shortest time between two reads that fetch one set, for example for unknown key ids. */
  readonly coolDownMs: number;
  /** The tenant's reads at the same time. */
  readonly readsPerTenant: number;
}

const defaultLimits: KeySetLimits = {
  maxSets: 1_000,
  maxSetsPerTenant: 32,
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
  usedAt: number;
  reading: Promise<void> | undefined;
}

/** The vendors' key sets (RFC 7517), read through the client for tenants' URLs and kept in memory. */
export class KeySets {
  readonly #egress: Egress;
  readonly #clock: () => Date;
  readonly #limits: KeySetLimits;
  readonly #sets: LRUCache<string, KeySet>;
  /** The names under which each tenant has sets. */
  readonly #names = new Map<string, Set<string>>();
  readonly #reads = new Map<string, number>();

  constructor(egress: Egress, clock: () => Date = () => new Date(), limits: Partial<KeySetLimits> = {}) {
    this.#egress = egress;
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...limits };
    this.#sets = new LRUCache({ max: this.#limits.maxSets, dispose: (_, name) => this.#forget(name) });
  }

  /** The keys at a URL for one tenant. Tenants share no set, so that no tenant delays another one's reads. */
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
    const cachedSet = this.#sets.get(name);
    if (cachedSet) {
      cachedSet.usedAt = this.#now();
      return cachedSet;
    }
    this.#makeRoom(tenantId);
    const never = Number.NEGATIVE_INFINITY;
    const set: KeySet = { keys: undefined, readAt: 0, triedAt: never, usedAt: this.#now(), reading: undefined };
    this.#sets.set(name, set);
    this.#names.set(tenantId, (this.#names.get(tenantId) ?? new Set()).add(name));
    return set;
  }

  /** Drops the tenant's least recently used set, unless this would end its cool-down. */
  #makeRoom(tenantId: string): void {
    const names = [...(this.#names.get(tenantId) ?? [])];
    if (names.length < this.#limits.maxSetsPerTenant) return;
    const sets = names.flatMap((name) => {
      const set = this.#sets.peek(name);
      return set?.reading === undefined && set && this.#mayRead(set) ? [{ name, usedAt: set.usedAt }] : [];
    });
    const [oldest] = sets.sort((first, other) => first.usedAt - other.usedAt);
    if (!oldest) throw new KeysUnavailable("The tenant has too many key sets.");
    this.#sets.delete(oldest.name);
  }

  #forget(name: string): void {
    const tenantId = name.slice(0, name.indexOf(" "));
    const names = this.#names.get(tenantId);
    names?.delete(name);
    if (names?.size === 0) this.#names.delete(tenantId);
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
      const remaining = (this.#reads.get(tenantId) ?? 1) - 1;
      if (remaining === 0) this.#reads.delete(tenantId);
      else this.#reads.set(tenantId, remaining);
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
