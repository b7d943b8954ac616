import type { BusMessage, EventConsumer } from "../bus/bus.js";
import type { Envelope } from "../messages/envelope.js";
import type { Logger } from "../telemetry/logger.js";
import type { ProjectionStore } from "./projection-store.js";
import type { SnapshotSource } from "./snapshot-source.js";

/** A request for snapshots has at most so many tenants. */
const maxTenants = 500;
const refreshSeconds = 30;
/** Looks more often than it refreshes, because the process that refreshed last may have ended. */
const lookMs = 5000;
/** A transaction that changed a tenant may commit so much later. Statements end after 15 s, idle transactions after 10 s. */
const overlapMs = 120_000;

/** The events after which a copy may be outdated. */
const changingTypes = [
  "TenantRegistered",
  "TenantProvisioningStarted",
  "TenantProvisioned",
  "TenantProvisioningFailed",
  "TenantSuspended",
  "TenantResumed",
  "TenantArchived",
  "TenantLimitsUpdated",
  "SubscriptionCreated",
  "SubscriptionActivated",
  "SubscriptionRenewed",
  "SubscriptionLapsed",
  "SubscriptionSuspended",
  "SubscriptionCancelled",
  "SubscriptionExpired",
  "EditionUpdated",
  "ConfigurationUpdated",
] as const satisfies EventConsumer["types"];

/**
 * Keeps the stored copies up to date: after events from the bus, and every 30 s for changes whose event was lost. One
 * process at a time does each.
 */
export class ProjectionFeed {
  readonly #store: ProjectionStore;
  readonly #source: SnapshotSource;
  readonly #logger: Logger;
  #look: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: { store: ProjectionStore; source: SnapshotSource; logger: Logger }) {
    this.#store = options.store;
    this.#source = options.source;
    this.#logger = options.logger;
  }

  consumer(schema: string): EventConsumer {
    return {
      group: `${schema}.tenant-projections`,
      types: changingTypes,
      handle: (batch) => this.#follow(batch),
    };
  }

  /** Begins to refresh. The first refresh for an empty table reads all tenants. */
  start(): void {
    this.#look = setInterval(() => this.#wake(), lookMs).unref();
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#look);
    await this.#running;
  }

  async #follow(batch: readonly BusMessage[]): Promise<void> {
    const events = batch.map(({ envelope }) => envelope);
    if (events.some(({ type }) => type === "EditionUpdated")) await this.#copyEditions();
    const tenants = [...new Set(events.filter(({ type }) => type !== "EditionUpdated").map(tenantOfEvent))];
    for (let start = 0; start < tenants.length; start += maxTenants)
      await this.#store.storeTenants(await this.#source.tenants(tenants.slice(start, start + maxTenants)));
  }

  async #copyEditions(): Promise<void> {
    await this.#store.storeEditions(await this.#source.editions());
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#running ??= this.#refresh()
      .catch((error: unknown) => {
        if (!this.#stopped)
          this.#logger.warn({ err: error }, "the copies of tenants were not refreshed; the next attempt is in 30 s");
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #refresh(): Promise<void> {
    const since = await this.#store.claimRefresh(refreshSeconds);
    if (since === undefined) return;
    await this.#copyEditions();
    let readAt: number | undefined;
    for await (const { tenants, readAtMs } of this.#source.changedSince(since)) {
      await this.#store.storeTenants(tenants);
      readAt ??= readAtMs;
      if (this.#stopped) return;
      await this.#store.noteRefresh(null, refreshSeconds);
    }
    // An empty answer has no time, and then nothing has changed since the position.
    if (readAt) await this.#store.noteRefresh(Math.max(since, readAt - overlapMs), refreshSeconds);
  }
}

/** Events about a tenant name it in their subject; others belong to it. */
function tenantOfEvent({ subject, tenantid }: Envelope): string {
  return subject.startsWith("tenants/") ? subject.slice("tenants/".length) : tenantid;
}
