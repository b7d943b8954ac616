import { join } from "node:path";
import { operationsOn, type StartParts, serveParent } from "@factory/runtime/faults/subgraph-child.fixture";
import { type RepositoryPlace, repositoryStoreService } from "./git/repositories/port/repository-store.js";
import { startCatalog } from "./subgraph.js";

/** The operations that the process offers to its parent. */
export type CatalogOperations = Awaited<ReturnType<typeof start>>["operations"];

async function start({ host, masterKeys, dataDir }: StartParts<undefined>) {
  const catalog = await startCatalog(host, {
    ...{ publicUrl: "http://127.0.0.1:4000", masterKeys, development: true, allowSsh: false },
    repositories: {
      driver: "database",
      folder: join(dataDir, "repositories"),
      cacheFolder: join(dataDir, "repository-cache"),
      cacheBytes: 1024 ** 3,
      limits: { repositoryBytes: 1024 ** 3, tenantBytes: 10 * 1024 ** 3 },
    },
    ...{ allowHosts: [], sourceRoots: [], nugetFeeds: [], sourceCredentials: new Map() },
    usage: { consume: async () => undefined, release: async () => undefined },
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
