import { atMost } from "@factory/runtime/caches/entry-limit";
import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { LRUCache } from "lru-cache";
import { type CountedFeature, currentPeriodStarts, usagePeriod } from "./period.js";
import type { UsageSources } from "./sources.js";
import { UsageCounter } from "./usage-counter.entity.js";

const oneCounter = tenantStatement(
  "usage_counter",
  `select usage from usage_counters
   where tenant_id = scope.tenant and feature_key = $2 and period_start = $3`,
);

const counterMembers = ["featureKey", "periodStart", "usage"] as const;

const currentCounters = tenantStatement(
  "usage_counters_now",
  `select ${columnsOf(UsageCounter, counterMembers)} from usage_counters
   where tenant_id = scope.tenant and period_start = any($2::timestamptz[])`,
);

type CounterRow = RowOf<UsageCounter, (typeof counterMembers)[number]>;

interface RecentUsage {
  readonly startMs: number;
  readonly usage: Promise<number>;
}

const maxRecent = 10_000;
/** Consumption in another process is seen after this time at the latest. Only a consumption itself is exact. */
const recentMs = 500;

const counterName = (featureKey: string, start: Date | string): string => `${featureKey} ${new Date(start).getTime()}`;

/** Reads how much tenants have used. Usage that another subgraph counts is undefined. */
export class UsageReader {
  readonly #reader: TenantReader;
  readonly #sources: UsageSources;
  readonly #recent = new LRUCache<string, RecentUsage>({ ...atMost(maxRecent), ttl: recentMs });

  constructor(reader: TenantReader, sources: UsageSources) {
    this.#reader = reader;
    this.#sources = sources;
  }

  async one(tenant: Tenant, key: string, feature: CountedFeature, now: Date): Promise<number | undefined> {
    if (!this.#sources.isConsumable(key)) return this.#fromSource(tenant, key, feature);
    const { start } = usagePeriod(feature, now);
    const name = `${tenant.tenantId} ${key}`;
    const cachedUsage = this.#recent.get(name);
    if (cachedUsage?.startMs === start.getTime()) return cachedUsage.usage;
    const usage = this.#count(tenant, key, start);
    // The promise is kept, not its value: a consumption that ends during the read drops it.
    this.#recent.set(name, { startMs: start.getTime(), usage });
    usage.catch(() => this.#recent.delete(name));
    return usage;
  }

  /** Drops the kept usage after a consumption in this process. */
  forget(tenant: Tenant, key: string): void {
    this.#recent.delete(`${tenant.tenantId} ${key}`);
  }

  async #count(tenant: Tenant, key: string, start: Date): Promise<number> {
    const row = await this.#reader.row<{ usage: string }>(oneCounter, tenant, key, start);
    return Number(row?.usage ?? 0);
  }

  /** The usage of several features. One statement reads all that have a counter. */
  async many(
    tenant: Tenant,
    features: readonly (readonly [string, CountedFeature])[],
    now: Date,
  ): Promise<ReadonlyMap<string, number | undefined>> {
    const rows = await this.#reader.rows<CounterRow>(currentCounters, tenant, currentPeriodStarts(now));
    const counters = new Map(rows.map((row) => [counterName(row.feature_key, row.period_start), Number(row.usage)]));
    const usages = new Map<string, number | undefined>();
    for (const [key, feature] of features) {
      const counter = counters.get(counterName(key, usagePeriod(feature, now).start)) ?? 0;
      usages.set(key, this.#sources.isConsumable(key) ? counter : await this.#fromSource(tenant, key, feature));
    }
    return usages;
  }

  /** Rows are not counted for a tenant without a limit, which may have very many. */
  async #fromSource(tenant: Tenant, key: string, { limit }: CountedFeature): Promise<number | undefined> {
    const source = this.#sources.find(key);
    if (!source || limit === null) return undefined;
    const row = await this.#reader.row<{ usage: string | number }>(source, tenant);
    return Number(row?.usage ?? 0);
  }
}
