import "reflect-metadata";
import { parseArgs } from "node:util";
import { checkBackup } from "./backup/check-backup.js";
import { backupEnvironment } from "./backup/environment.js";
import { makeBackup } from "./backup/make-backup.js";
import { type Manifest, rowsOf } from "./backup/sealed-folder/manifest.js";
import { Progress } from "./backup/sealed-folder/progress.js";
import { failTool } from "./client/platform-api.js";
import { forgetEnvironmentSecrets } from "./settings/environment.js";

const usage = `npm run -s backup -- <folder>           copies the installation of DATA_DIR or DATABASE_URL beside running traffic
npm run -s backup -- --check <folder>   proves a backup without restoring it

The folder must be new. Everything in it is sealed under the passphrase, which BACKUP_PASSPHRASE_FILE (a file) or
BACKUP_PASSPHRASE gives. The other settings are those of the platform.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { check: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(usage);
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new Error(usage);
  const environment = backupEnvironment();
  forgetEnvironmentSecrets();
  const progress = new Progress();
  try {
    const backupSummary = values.check
      ? await checkBackup(folder, environment.passphrase, progress)
      : await makeBackup(environment, folder, progress);
    process.stdout.write(
      `${values.check ? "The backup is sound" : "The backup is complete"}: ${summary(backupSummary)}\n`,
    );
  } finally {
    progress.end();
  }
}

const summary = (manifest: Manifest) =>
  `${manifest.createdAt}, ${rowsOf(manifest)} rows of ${manifest.tables.length} tables, ` +
  `${manifest.repositories.count} repositories outside the database, ${manifest.files.count} files.`;

main().catch(failTool(usage));
