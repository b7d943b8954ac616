import type { Verifier } from "@factory/runtime/auth/authenticate";
import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import { PeriodicLoop } from "@factory/runtime/loops/periodic-loop";
import { serviceKey } from "@factory/runtime/subgraph/service-registry";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { storeFormerRepository } from "./former-folder/store-former-repository.js";
import { takeOverFolder } from "./former-folder/take-over.js";
import { createGitHttpHandler, type GitHttpHandler } from "./git-http.js";
import { readGitReader } from "./git-reader.js";
import { CacheTidying } from "./in-database/cache-tidying.js";
import { DatabaseStore } from "./in-database/database-store.js";
import { PackCache } from "./in-database/pack-cache.js";
import { mergePacksJob, PackMerging, unmergedRepositories } from "./in-database/pack-merging.js";
import { FolderStore } from "./in-folder/folder-store.js";
import { FolderTidying } from "./in-folder/folder-tidying.js";
import { openRepositoryStore, type RepositoryStoreSettings } from "./open-repository-store.js";
import { type RepositoryPlace, repositoryStoreService } from "./port/repository-store.js";
import { Repository } from "./rows/repository.entity.js";
import { RepositoryChunk } from "./rows/repository-chunk.entity.js";
import { expiredPack, RepositoryPack } from "./rows/repository-pack.entity.js";
import { RepositoryRef } from "./rows/repository-ref.entity.js";

/** The place of the embedded git store, and who may clone from it. */
export interface RepositorySettings {
  readonly repositories: RepositoryStoreSettings;
  /** Verifies git clients' tokens. */
  readonly verifier: Verifier;
}

const tidyingPeriodMs = 600_000;

/** The handler for git over HTTP. */
export const gitHttpService = serviceKey<GitHttpHandler>("GitHttpHandler");

/** The embedded git store, and git over HTTP. */
export const repositories: SliceModule<RepositorySettings> = {
  slice: "repositories",
  entities: [Repository, RepositoryRef, RepositoryPack, RepositoryChunk],
  foreignKeys: {
    "repository_refs.repository_id": {
      to: "repositories.repository_id",
      onDelete: "cascade",
      why: "A ref belongs to its repository.",
    },
    "repository_packs.repository_id": {
      to: "repositories.repository_id",
      onDelete: "cascade",
      why: "A pack belongs to its repository.",
    },
    "repository_chunks.pack_id": {
      to: "repository_packs.pack_id",
      onDelete: "cascade",
      why: "A chunk is a piece of its pack.",
    },
  },
  jobs: [mergePacksJob],
  waitingRows: [unmergedRepositories],
  retention: () => [{ table: "repository_packs", expired: expiredPack, order: "expires_at", batch: 20 }],
  async start({ settings, database, logger, refusals, work, onStarted, onStop }, services) {
    const store = openRepositoryStore(settings.repositories, database, logger);
    if (store instanceof DatabaseStore) {
      const take = (place: RepositoryPlace, folder: string) => storeFormerRepository(store, place, { folder, logger });
      await takeOverFolder(settings.repositories.folder, take, logger);
    }
    services.add(store, repositoryStoreService);
    const { cacheFolder, cacheBytes, folder } = settings.repositories;
    // Packs that the other driver has left are merged, too.
    const cache = store instanceof DatabaseStore ? store.cache : new PackCache(cacheFolder, database.reader);
    const merging = new PackMerging(database, cache);
    work(mergePacksJob, (payload, { signal }) => merging.merge(payload, signal), maintenance);
    const cacheTidying = new CacheTidying(cache.root, cacheBytes, logger);
    const folderTidying = new FolderTidying(folder);
    const failure = "the folders of repositories were not tidied; the next attempt is in ten minutes";
    const loop = new PeriodicLoop({ name: "repository cache", periodMs: tidyingPeriodMs, logger, failure });
    onStarted(async () => {
      await cacheTidying.dropViews();
      loop.start(async () => {
        await cacheTidying.tidy(Date.now());
        if (store instanceof FolderStore) await folderTidying.tidy(Date.now());
      });
    });
    onStop(() => loop.stop());
    const handler = createGitHttpHandler(store, {
      authorize: (request, identify) => readGitReader(request, settings.verifier, identify),
      ...{ logger, refusals },
    });
    services.add(handler, gitHttpService);
  },
};
