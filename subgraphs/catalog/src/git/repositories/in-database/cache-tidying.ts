import { randomUUID } from "node:crypto";
import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { entriesOf, ifMissing, inUseMs, removeFolder, removeOlder, timeOf } from "../bare/remove-older.js";

interface CachedRepository {
  readonly folder: string;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly usedAt: number;
}

/**
 * Keeps a pack cache below a number of bytes, by removing the repositories that were not used for the longest time. One
 * that was used in the last 15 minutes stays, so the cache can be larger for that time.
 */
export class CacheTidying {
  readonly #root: string;
  readonly #maxBytes: number;
  readonly #logger: Logger;

  constructor(root: string, maxBytes: number, logger: Logger) {
    this.#root = root;
    this.#maxBytes = maxBytes;
    this.#logger = logger;
  }

  /** Removes all views, whose files may be empty after a power failure. They are made again from the packs. */
  async dropViews(): Promise<void> {
    for (const folder of await this.#repositories())
      for (const { name } of await entriesOf(folder))
        if (name.startsWith("view-") || name.startsWith("unfinished-")) await removeFolder(join(folder, name));
  }

  /** `now`: epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const oldest = now - inUseMs;
    await removeOlder(join(this.#root, "pushes"), oldest, () => true);
    await removeOlder(this.#root, oldest, (name) => name.startsWith("evicted-"));
    const repositories: CachedRepository[] = [];
    for (const folder of await this.#repositories()) {
      await removeOlder(folder, oldest, (name) => name.startsWith("view-") || name.startsWith("unfinished-"));
      repositories.push({
        folder,
        bytes: await bytesIn(join(folder, "objects", "pack")),
        usedAt: await timeOf(folder),
      });
    }
    let bytes = repositories.reduce((sum, repository) => sum + repository.bytes, 0);
    for (const repository of repositories.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= this.#maxBytes || repository.usedAt > oldest) break;
      await this.#evict(repository);
      bytes -= repository.bytes;
    }
  }

  async #evict({ folder, bytes }: CachedRepository): Promise<void> {
    // A folder that is removed piece by piece would look like a complete one.
    const evictedFolder = join(this.#root, `evicted-${randomUUID()}`);
    await rename(folder, evictedFolder);
    await removeFolder(evictedFolder);
    this.#logger.debug({ folder, bytes }, "a repository was removed from the cache");
  }

  async #repositories(): Promise<string[]> {
    const folders: string[] = [];
    for (const tenant of await entriesOf(this.#root))
      if (tenant.name.startsWith("ten_"))
        for (const { name } of await entriesOf(join(this.#root, tenant.name)))
          folders.push(join(this.#root, tenant.name, name));
    return folders;
  }
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const { name } of await entriesOf(folder))
    sum += await stat(join(folder, name)).then(({ size }) => size, ifMissing(0));
  return sum;
}
