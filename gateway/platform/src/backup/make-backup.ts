import { randomUUID } from "node:crypto";
import { administrator } from "../installation/administrator.js";
import { databaseOf } from "../installation/opened-database.js";
import { storedValues } from "../start-checks/sealing-keys.js";
import { copyDatabase } from "./database-copy.js";
import type { BackupEnvironment } from "./environment.js";
import { copyFiles } from "./file-copy.js";
import { copyKeys } from "./installation-keys.js";
import { release } from "./release.js";
import { copyRepositories } from "./repository-copy.js";
import { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest } from "./sealed-folder/manifest.js";
import type { Progress } from "./sealed-folder/progress.js";

/**
 * Copies an installation beside its running traffic. The database comes first: what it calls complete is then in the
 * repositories and files.
 */
export async function makeBackup(environment: BackupEnvironment, path: string, progress: Progress): Promise<Manifest> {
  const createdAt = new Date();
  const database = await databaseOf(environment);
  let folder: BackupFolder | undefined;
  try {
    await requireKeys(database.url, environment);
    folder = await BackupFolder.make(path, environment.passphrase, progress);
    const keys = await copyKeys(environment, folder);
    progress.begin("Copying the database");
    const rows = await copyDatabase(database.url, folder, progress);
    progress.begin("Copying the repositories");
    const repositories = await copyRepositories(environment.repositoriesDir, folder, progress);
    progress.begin("Copying the files");
    const files = await copyFiles(environment.filesDir, folder, progress);
    const facts = { format: 1 as const, id: randomUUID(), createdAt: createdAt.toISOString(), release };
    const manifest = await folder.complete({ ...facts, ...rows, repositories, files, keys });
    await recordBackup(database.url, createdAt);
    return manifest;
  } catch (error) {
    await folder?.discard();
    throw error;
  } finally {
    await database.close();
  }
}

/** Refuses keys that would not open the backup's secrets. */
async function requireKeys(url: string, environment: BackupEnvironment): Promise<void> {
  const client = await administrator(url);
  try {
    const problem = await storedValues(environment, client);
    if (problem !== undefined) throw new BackupProblem(`${problem} No backup was made.`);
  } finally {
    await client.end();
  }
}

/** Writes the time for the metric `backup_last_success_timestamp_seconds`. Older releases have no table for it. */
async function recordBackup(url: string, createdAt: Date): Promise<void> {
  const client = await administrator(url);
  try {
    const { rows } = await client.query(
      "select from pg_tables where schemaname = 'health' and tablename = 'last_backup'",
    );
    if (rows.length === 0) return;
    await client.query(
      `insert into health.last_backup (completed_at) values ($1)
       on conflict (only_row) do update set completed_at = greatest(last_backup.completed_at, excluded.completed_at)`,
      [createdAt],
    );
  } finally {
    await client.end();
  }
}
