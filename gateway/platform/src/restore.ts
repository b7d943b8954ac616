import "reflect-metadata";
import { parseArgs } from "node:util";
import { backupEnvironment } from "./backup/environment.js";
import { restoreBackup } from "./backup/restore-backup.js";
import { rowsOf } from "./backup/sealed-folder/manifest.js";
import { Progress } from "./backup/sealed-folder/progress.js";
import { failTool } from "./client/platform-api.js";
import { forgetEnvironmentSecrets } from "./settings/environment.js";

const usage = `npm run -s restore -- <folder>   restores a backup into an empty installation

DATA_DIR, FILES_DIR and the database of DATABASE_URL must be empty; without DATABASE_URL, an embedded database is made in
DATA_DIR. BACKUP_PASSPHRASE_FILE (a file) or BACKUP_PASSPHRASE gives the passphrase of the backup.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(usage);
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new Error(usage);
  const environment = backupEnvironment();
  forgetEnvironmentSecrets();
  const progress = new Progress();
  try {
    const manifest = await restoreBackup(environment, folder, progress);
    process.stdout.write(
      `The backup of ${manifest.createdAt} is restored: ${rowsOf(manifest)} rows. Start the platform.\n`,
    );
  } finally {
    progress.end();
  }
}

main().catch(failTool(usage));
