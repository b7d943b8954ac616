import type { SliceHost } from "../subgraph/slice-module.js";
import { abortableSource } from "./abortable-source.js";
import { EditionFacts } from "./edition-facts.js";
import { ProjectionFeed } from "./projection-feed.js";
import { editionsNotice, noticedTenants, ProjectionStore, projectionChannel } from "./projection-store.js";
import type { SnapshotSource } from "./snapshot-source.js";
import { TenantFacts } from "./tenant-facts.js";

/** Where a subgraph gets tenant facts from. */
export interface TenantFactsSettings {
  /** Opens the source. Without it, every tenant has the default settings and limits. */
  readonly tenantSnapshots?: () => Promise<SnapshotSource>;
}

/** Starts a subgraph's copies over its tables. They are filled after the start, and a lookup does not wait for that. */
export async function startTenantFacts(host: SliceHost<TenantFactsSettings>): Promise<TenantFacts> {
  const { settings, database, workers, connections, listener, logger, consume, onStarted, onStop } = host;
  const { schema } = connections;
  const store = new ProjectionStore({ workers, reader: database.reader, schema });
  const stopping = new AbortController();
  const { tenantSnapshots } = settings;
  const source = tenantSnapshots && abortableSource(tenantSnapshots, stopping.signal);
  const editions = new EditionFacts(store, source);
  const facts = new TenantFacts({ store, editions, source, logger });
  const applyNotice = async (payload: string | undefined): Promise<void> => {
    if (payload === undefined) facts.distrust();
    if (payload === undefined || payload === editionsNotice) await editions.read();
    else await facts.refresh(noticedTenants(payload));
  };
  await listener.on(projectionChannel(schema), (payload) => {
    applyNotice(payload).catch((error: unknown) =>
      logger.debug({ err: error }, "changed facts of tenants could not be read; they are read again later"),
    );
  });
  onStop(() => stopping.abort());
  if (source) {
    const feed = new ProjectionFeed({ store, source, logger });
    consume(feed.consumer(schema));
    onStarted(() => feed.start());
    onStop(() => feed.stop());
  }
  return facts;
}
