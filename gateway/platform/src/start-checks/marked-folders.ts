import { resolve } from "node:path";
import type { ClientBase } from "pg";
import { foreignFolder, readStoredMarks } from "../folder-marks/stored-marks.js";
import type { PlatformEnvironment } from "../settings/environment.js";
import { sharedFoldersOf } from "../settings/platform-folders.js";
import type { DatabaseCheck } from "./start-check.js";

/** FILES_DIR and REPOSITORIES_DIR are the folders that the other processes on this database use. */
export const sharedFolders: DatabaseCheck = async (environment, admin) => {
  const problem = await foreignFolders(environment, admin);
  // Another first start stores its marks before it writes them into the folders, so they may have come after this read.
  return problem === undefined ? undefined : foreignFolders(environment, admin);
};

async function foreignFolders(environment: PlatformEnvironment, admin: ClientBase): Promise<string | undefined> {
  const marks = await readStoredMarks(admin);
  for (const folder of sharedFoldersOf(environment, resolve(environment.dataDir))) {
    const problem = await foreignFolder(folder, marks.get(folder.setting));
    if (problem !== undefined) return problem;
  }
  return undefined;
}
