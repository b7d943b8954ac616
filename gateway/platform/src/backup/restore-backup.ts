import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import type { Client } from "pg";
import { administrator } from "../installation/administrator.js";
import { databaseToFill } from "../installation/opened-database.js";
import { openVerified } from "./check-backup.js";
import { filledTables, restoreDatabase } from "./database-restore.js";
import { beginRestore, clearFolders, endRestore } from "./empty-target.js";
import type { BackupEnvironment } from "./environment.js";
import { restoreFiles } from "./file-copy.js";
import { checkKeys, openKeys, restoreKeys } from "./installation-keys.js";
import { restoreRepositories } from "./repository-copy.js";
import type { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest } from "./sealed-folder/manifest.js";
import type { Progress } from "./sealed-folder/progress.js";
import { checkMigrations, makeSchemas, migrateToPresent } from "./target-schemas.js";

/** Restores a backup into an empty installation. Nothing is written before the whole backup was verified. */
export async function restoreBackup(
  environment: BackupEnvironment,
  path: string,
  progress: Progress,
): Promise<Manifest> {
  const { folder, manifest } = await openVerified(path, environment.passphrase, progress);
  checkMigrations(manifest);
  const keys = await openKeys(manifest.keys, folder);
  checkKeys(keys, environment);
  await beginRestore(environment);
  const database = await databaseToFill(environment);
  try {
    const client = await administrator(database.url);
    try {
      const [filledTable] = await filledTables(client);
      if (filledTable !== undefined) {
        await endRestore(environment);
        throw new BackupProblem(`The database is not empty: ${filledTable} has rows. Restore into a new database.`);
      }
      await clearFolders(environment);
      await restoreKeys(keys, environment);
      await fill({ url: database.url, client, environment, manifest, folder, progress });
    } finally {
      await client.end();
    }
    await endRestore(environment);
    return manifest;
  } finally {
    await database.close();
  }
}

interface Filling {
  readonly url: string;
  readonly client: Client;
  readonly environment: BackupEnvironment;
  readonly manifest: Manifest;
  readonly folder: BackupFolder;
  readonly progress: Progress;
}

/** The rows come last: a platform that starts before has an empty database, and not an incomplete one. */
async function fill({ url, client, environment, manifest, folder, progress }: Filling): Promise<void> {
  progress.begin("Making the tables");
  const access = await makeSchemas(url, client, environment, manifest);
  // A platform that starts on the database waits until it is filled.
  await client.query("select pg_advisory_lock($1)", [advisoryLocks.provisioning]);
  progress.begin("Restoring the repositories");
  await restoreRepositories(environment.repositoriesDir, manifest.repositories, folder, progress);
  progress.begin("Restoring the files");
  await restoreFiles(environment.filesDir, manifest.files, folder);
  progress.begin("Restoring the database");
  await restoreDatabase(client, manifest, folder, progress);
  progress.begin("Migrating the tables to this release");
  await migrateToPresent(access);
}
