import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type DataDirectoryHolder, lockDataDirectory } from "@factory/runtime/postgres/data-directory-lock";
import { awaitServer } from "@factory/runtime/postgres/database-patience";
import { startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { PlatformEnvironment } from "../settings/environment.js";

export interface PlatformDatabase {
  readonly url: string;
  readonly holder: DataDirectoryHolder;
  readonly close: () => Promise<void>;
}

/**
 * Connects to the database of the operator, or starts the embedded PostgreSQL. In both cases this process then holds
 * the lock of DATA_DIR.
 */
export async function openPlatformDatabase(
  { dataDir, databaseUrl, postgresBinDir, databaseGiveUpMs: giveUpAfterMs }: PlatformEnvironment,
  logger: Logger,
  onLaunch: () => void,
): Promise<PlatformDatabase> {
  const folder = resolve(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (databaseUrl !== undefined) {
    const lock = lockDataDirectory(folder);
    try {
      await awaitServer(databaseUrl, { logger, giveUpAfterMs });
    } catch (error) {
      lock.release();
      throw error;
    }
    return { url: databaseUrl, holder: lock, close: async () => lock.release() };
  }
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    logger,
    giveUpAfterMs,
    onLaunch,
    ...(postgresBinDir === undefined ? {} : { binDir: postgresBinDir }),
  });
  return { url: server.url, holder: server.holder, close: () => server.stop() };
}
