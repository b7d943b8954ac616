import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lockDataDirectory } from "@factory/runtime/postgres/data-directory-lock";
import type { BackupEnvironment } from "./environment.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";

/** Present while a restore runs or after it has died: the next restore removes what that one wrote. */
const markFile = "restore.unfinished";

/** The files that a platform or a restore leaves in DATA_DIR. The lock does not count, since a restore holds it. */
const writtenPaths = ["bootstrap.json", "secrets.key", "tls", "postgres.json", "repositories", "files"];

/** Begins a restore into empty folders. Refuses folders that another installation has written. */
export async function beginRestore(environment: BackupEnvironment): Promise<void> {
  const lock = lockDataDirectory(environment.dataDir);
  try {
    const mark = join(environment.dataDir, markFile);
    if (await isPresent(mark)) return;
    await checkFolders(environment);
    await writeFile(mark, "A restore has begun and has not ended.\n", { mode: 0o600, flush: true });
  } finally {
    lock.release();
  }
}

async function checkFolders({ dataDir, repositoriesDir, filesDir }: BackupEnvironment): Promise<void> {
  for (const name of writtenPaths)
    if (await isPresent(join(dataDir, name)))
      throw new BackupProblem(`${dataDir} is not empty (${name}): restore into a new DATA_DIR.`);
  if ((await readdir(repositoriesDir).catch(absent))?.length)
    throw new BackupProblem(`${repositoriesDir} is not empty: restore into a new REPOSITORIES_DIR.`);
  if ((await readdir(filesDir).catch(absent))?.length)
    throw new BackupProblem(`${filesDir} is not empty: restore into a new FILES_DIR.`);
}

/** Removes the files that a failed restore left. The database is empty then, since it is filled in one transaction. */
export async function clearFolders({ repositoriesDir, filesDir }: BackupEnvironment): Promise<void> {
  await rm(repositoriesDir, { recursive: true, force: true });
  for (const name of (await readdir(filesDir).catch(absent)) ?? [])
    await rm(join(filesDir, name), { recursive: true, force: true });
}

export async function endRestore({ dataDir }: BackupEnvironment): Promise<void> {
  await rm(join(dataDir, markFile), { force: true });
}

const isPresent = async (path: string) => (await stat(path).catch(absent)) !== undefined;

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
