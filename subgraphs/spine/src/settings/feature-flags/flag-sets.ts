import { setTimeout as pause } from "node:timers/promises";
import { atMost } from "@factory/runtime/caches/entry-limit";
import type { Notifications } from "@factory/runtime/connections/listener";
import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { isUnavailable, outageRefusal } from "@factory/runtime/errors/unavailable";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { type LongWork, longWork } from "@factory/runtime/threads/long-work";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { type FlagSet, preparingFlags } from "./evaluation/flag-set.js";
import { type FlagRow, flagColumns, flagView, readFlag } from "./feature-flag.view.js";
import { FeatureFlagSet } from "./feature-flag-set.entity.js";
import { flagChannel } from "./write-flag.js";

/** A change to a tenant's flags. */
export interface FlagSetChange {
  readonly tenantId: string;
  /** The new version of the tenant's flags. */
  readonly version: number;
}

interface FlagSetParts {
  readonly database: Database;
  readonly workers: Pool;
  readonly listener: Notifications;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly clock?: () => number;
  readonly work?: Pick<LongWork, "run">;
}

interface KnownSet {
  set: FlagSet | undefined;
  /** The newest version that this process has heard of. */
  atLeast: number;
  loading: Promise<FlagSet> | undefined;
  /** When the next read may begin after a failed one (epoch milliseconds). */
  retryAt: number;
}

const changeMembers = ["tenantId", "version", "changedAt"] as const;

type ChangeRow = RowOf<FeatureFlagSet, (typeof changeMembers)[number]>;

const readSet = tenantStatement(
  "feature_flag_set",
  `select flags.version as set_version, ${flagColumns}
   from (select scope.tenant) one (tenant) left join feature_flag_sets flags on flags.tenant_id = one.tenant
     left join feature_flags on feature_flags.tenant_id = one.tenant
   order by feature_flags.key`,
);

const readChanges = {
  name: "changed_feature_flag_sets",
  text: `select ${columnsOf(FeatureFlagSet, changeMembers)} from feature_flag_sets
    where changed_at > $1 order by changed_at`,
};

/** Longer than any transaction: a row that was written before the last read may have been committed after it. */
const overlapMs = 60_000;
const maxTenants = 10_000;
const maxBytes = 128 * 1024 * 1024;
/** How long an evaluation waits for a newer set where an older one is known. */
const patienceMs = 500;
const retryMs = 1000;
/** How long the last known set answers while the database does not. */
const maxOutageMs = 24 * 60 * 60 * 1000;

/**
 * The tenants' flags in memory. A set is read when it is first needed. A NOTIFY announces changes, and a read of the
 * changed rows, once a second, finds those whose notice was lost. While the database does not answer, the last known
 * set does, for a day.
 */
export class FlagSets {
  readonly #parts: FlagSetParts;
  readonly #clock: () => number;
  readonly #work: Pick<LongWork, "run">;
  readonly #loop: DrainLoop;
  readonly #known = new LRUCache<string, KnownSet>({
    max: maxTenants,
    maxSize: maxBytes,
    sizeCalculation: ({ set }) => set?.bytes ?? 1,
  });
  readonly #watchers = new Set<(change: FlagSetChange) => void>();
  /** The last version that was announced to the watchers, by tenant. */
  readonly #told = new LRUCache<string, number>(atMost(maxTenants));
  #since: Date | undefined;
  #checkedAt = 0;

  constructor(parts: FlagSetParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? Date.now;
    this.#work = parts.work ?? longWork;
    this.#loop = new DrainLoop(
      "feature flags",
      async () => {
        await this.#readChanges();
        return "empty";
      },
      parts.logger,
    );
  }

  async start(): Promise<void> {
    await this.#readChanges();
    await this.#parts.listener.on(flagChannel, (payload) => {
      const [tenantId, version] = payload?.split(" ") ?? [];
      if (tenantId === undefined) this.#loop.wake();
      else this.changed({ tenantId, version: Number(version) });
    });
    this.#loop.wake();
  }

  /** Waits for the current read. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Calls `tell` once after each change to a tenant's flags, in any process, until the returned function is called. */
  watch(tell: (change: FlagSetChange) => void): () => void {
    this.#watchers.add(tell);
    return () => void this.#watchers.delete(tell);
  }

  /** The tenant's current flags. Throws UNAVAILABLE when they are not known and the database does not answer. */
  of(tenantId: string): FlagSet | Promise<FlagSet> {
    const knownSet = this.#known.get(tenantId) ?? this.#remember(tenantId);
    if (knownSet.set && knownSet.set.version >= knownSet.atLeast && !this.#isOutdated()) return knownSet.set;
    return this.#newest(tenantId, knownSet);
  }

  /** From now on the tenant's evaluations use at least this version. */
  changed(change: FlagSetChange): void {
    const knownSet = this.#known.peek(change.tenantId);
    if (knownSet && knownSet.atLeast < change.version) {
      knownSet.atLeast = change.version;
      knownSet.retryAt = 0;
    }
    if ((this.#told.get(change.tenantId) ?? 0) >= change.version) return;
    this.#told.set(change.tenantId, change.version);
    for (const tell of this.#watchers) tell(change);
  }

  /** Reads a set again that is in memory and has changed. Resolves when evaluations use the change. */
  async renew(tenantId: string): Promise<void> {
    if (this.#known.has(tenantId)) await this.of(tenantId);
  }

  #remember(tenantId: string): KnownSet {
    const knownSet: KnownSet = { set: undefined, atLeast: 0, loading: undefined, retryAt: 0 };
    this.#known.set(tenantId, knownSet);
    return knownSet;
  }

  async #newest(tenantId: string, knownSet: KnownSet): Promise<FlagSet> {
    const { set } = knownSet;
    if (set && knownSet.retryAt > this.#clock()) return this.#lastKnown(set);
    knownSet.loading ??= this.#load(tenantId, knownSet).finally(() => {
      knownSet.loading = undefined;
    });
    if (!set) return knownSet.loading;
    try {
      const late = pause(patienceMs, undefined, { ref: false });
      return (await Promise.race([knownSet.loading, late])) ?? this.#lastKnown(set);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return this.#lastKnown(set);
    }
  }

  #lastKnown(set: FlagSet): FlagSet {
    if (this.#isOutdated()) throw new DomainError("UNAVAILABLE", { detail: outdatedFlags, retryAfterSeconds: 1 });
    return set;
  }

  #isOutdated(): boolean {
    return this.#clock() - this.#checkedAt > maxOutageMs;
  }

  async #load(tenantId: string, knownSet: KnownSet): Promise<FlagSet> {
    try {
      let set = await this.#read(tenantId);
      // a change was committed while this was read
      if (set.version < knownSet.atLeast) set = await this.#read(tenantId);
      knownSet.atLeast = set.version;
      knownSet.set = set;
      // deleted first, since the cache weighs an entry only when it is added
      if (this.#known.delete(tenantId)) this.#known.set(tenantId, knownSet);
      return set;
    } catch (error) {
      knownSet.retryAt = this.#clock() + retryMs;
      if (!knownSet.set) this.#known.delete(tenantId);
      throw outageRefusal(error) ?? error;
    }
  }

  async #read(tenantId: string): Promise<FlagSet> {
    type Row = Partial<FlagRow> & { set_version: number | null };
    const rows = await this.#parts.database.reader.rows<Row>(readSet, tenantWithId(tenantId));
    const flags = rows.filter((row): row is Row & FlagRow => row.key != null).map((row) => flagView(readFlag(row)));
    return this.#work.run(tenantId, preparingFlags(tenantId, rows[0]?.set_version ?? 0, flags));
  }

  async #readChanges(): Promise<void> {
    const { workers } = this.#parts;
    if (!this.#since) {
      const { rows } = await workers.query<{ now: Date }>("select now()");
      this.#since = new Date((rows[0]?.now.getTime() ?? 0) - overlapMs);
    }
    const { rows } = await workers.query<ChangeRow>({ ...readChanges, values: [this.#since] });
    this.#checkedAt = this.#clock();
    for (const { tenant_id: id, version } of rows) this.changed({ tenantId: encodeId("ten", id), version });
    const newest = rows.at(-1)?.changed_at;
    if (newest !== undefined)
      this.#since = new Date(Math.max(this.#since.getTime(), new Date(newest).getTime() - overlapMs));
  }
}

const outdatedFlags =
  "The database has not answered for a day, so the feature flags may be out of date. Try again later.";
