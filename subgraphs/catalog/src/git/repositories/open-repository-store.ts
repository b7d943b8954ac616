import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { DatabaseStore } from "./in-database/database-store.js";
import { FolderStore } from "./in-folder/folder-store.js";
import type { RepositoryLimits } from "./port/repository-limits.js";
import type { RepositoryStore } from "./port/repository-store.js";

/** The embedded git store's driver, its folder and its limits. */
export interface RepositoryStoreSettings {
  /** `database`: packs and refs are rows. `folder`: bare repositories in a folder for all processes. */
  readonly driver: "database" | "folder";
  /** The folder for the driver `folder`. */
  readonly folder: string;
  /** The cache for the driver `database`. */
  readonly cacheFolder: string;
  readonly cacheBytes: number;
  readonly limits: RepositoryLimits;
}

export function openRepositoryStore(
  { driver, folder, cacheFolder, limits }: RepositoryStoreSettings,
  database: Database,
  logger: Logger,
): RepositoryStore {
  if (driver === "folder") return new FolderStore({ database, folder, limits, logger });
  return new DatabaseStore({ database, cacheFolder, limits, logger });
}
