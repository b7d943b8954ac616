import { operationsOn, type StartParts, serveParent } from "@factory/runtime/faults/subgraph-child.fixture";
import { catalogSettingsIn } from "./catalog-settings.fixture.js";
import { type RepositoryPlace, repositoryStoreService } from "./git/repositories/port/repository-store.js";
import { startCatalog } from "./subgraph.js";

/** The operations that the process offers to its parent. */
export type CatalogOperations = Awaited<ReturnType<typeof start>>["operations"];

async function start({ host, masterKeys, dataDir }: StartParts<undefined>) {
  const catalog = await startCatalog(host, {
    ...catalogSettingsIn(dataDir),
    masterKeys,
    verifier: { verify: () => Promise.reject(new Error("no git client asks")) },
  });
  return {
    operations: {
      ask: operationsOn(catalog.schema),
      /** The bare folder from which a clone of this repository would be served. */
      folderOf: (place: RepositoryPlace) => catalog.get(repositoryStoreService).find(place),
    },
    close: () => catalog.close(),
  };
}

serveParent("catalog", start);
