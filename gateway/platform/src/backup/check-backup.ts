import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { checkFiles } from "./file-copy.js";
import { openKeys } from "./installation-keys.js";
import { checkRepositories } from "./repository-copy.js";
import { RowCount } from "./row-count.js";
import { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import { type Manifest, partsOf } from "./sealed-folder/manifest.js";
import type { Progress } from "./sealed-folder/progress.js";

/** Proves a backup without restoring it: every digest, row count, key, file and repository. */
export async function checkBackup(path: string, passphrase: string, progress: Progress): Promise<Manifest> {
  const { folder, manifest } = await openVerified(path, passphrase, progress);
  progress.begin("Reading the keys");
  await openKeys(manifest.keys, folder);
  progress.begin("Counting the rows of the tables");
  for (const { schema, name, rows, part } of manifest.tables) {
    progress.step(`table ${schema}.${name}`);
    const rowCount = new RowCount();
    await folder.read(part, rowCount, new Writable({ write: (_bytes, _encoding, callback) => callback() }));
    if (rowCount.rows !== rows)
      throw new BackupProblem(`${schema}.${name} has ${rowCount.rows} rows in the backup and not ${rows}.`);
  }
  progress.begin("Reading the files");
  await checkFiles(manifest.files, folder);
  progress.begin("Checking the repositories");
  const scratch = await mkdtemp(join(tmpdir(), "factory-check-"));
  try {
    await checkRepositories(scratch, manifest.repositories, folder, progress);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return manifest;
}

/** Opens a backup and compares all its files with the manifest. */
export async function openVerified(path: string, passphrase: string, progress: Progress) {
  const backup = await BackupFolder.open(path, passphrase, progress);
  progress.begin("Comparing the files of the backup with its manifest");
  for (const part of partsOf(backup.manifest)) await backup.folder.verify(part);
  return backup;
}
