import { rmSync } from "node:fs";
import type { Logger } from "../telemetry/logger.js";
import { prepareClusterLayout } from "./cluster-layout.js";
import { lockDataDirectory } from "./data-directory-lock.js";
import { stopOrphanedPostmaster } from "./postmaster-file.js";

/** Deletes a data directory with its whole cluster. Throws when the directory is in use. */
export async function removeDataDirectory(dataDir: string, logger: Logger): Promise<void> {
  const lock = lockDataDirectory(dataDir);
  try {
    const { clusterDir, home, socketDir } = await prepareClusterLayout(dataDir);
    await stopOrphanedPostmaster(clusterDir, logger);
    for (const path of [socketDir, home, dataDir]) rmSync(path, { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
