import { resolve } from "node:path";
import { foreignFolder, readStoredMarks } from "../folder-marks/stored-marks.js";
import { sharedFoldersOf } from "../settings/platform-folders.js";
import type { DatabaseCheck } from "./start-check.js";

/** FILES_DIR and REPOSITORIES_DIR are the folders that the other processes on this database use. */
export const sharedFolders: DatabaseCheck = async (environment, admin) => {
  const marks = await readStoredMarks(admin);
  for (const folder of sharedFoldersOf(environment, resolve(environment.dataDir))) {
    const problem = await foreignFolder(folder, marks.get(folder.setting));
    if (problem !== undefined) return problem;
  }
  return undefined;
};
