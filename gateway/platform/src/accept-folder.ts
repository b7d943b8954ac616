import { parseArgs } from "node:util";
import { failTool } from "./client/platform-api.js";
import { acceptFolder, belongsToAnother, requireInstallation } from "./folder-marks/accept-folder.js";
import { type FolderContent, folderContent } from "./folder-marks/folder-content.js";
import { administrator } from "./installation/administrator.js";
import { installationOf, installationVariables } from "./installation/installation-environment.js";
import { databaseOf } from "./installation/opened-database.js";
import { commandSettings } from "./settings/environment.js";
import type { SharedFolder } from "./settings/platform-folders.js";

const usage = `npm run -s accept-folder -- FILES_DIR          says what the folder lacks that the database expects
npm run -s accept-folder -- FILES_DIR --yes    accepts the folder in place of the former one

The folder is that of the setting: FILES_DIR, or REPOSITORIES_DIR for REPOSITORY_STORE=folder. The other settings are those
of the platform, whose processes must be stopped.
`;

const warning = `The folder has the mark of another installation. Once it is accepted here, the processes of that one refuse it.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { yes: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (values.help) return void process.stdout.write(usage);
  const [setting, ...others] = positionals;
  if ((setting !== "FILES_DIR" && setting !== "REPOSITORIES_DIR") || others.length > 0) throw new Error(usage);
  const environment = installationOf(commandSettings(installationVariables));
  const folder = {
    setting,
    path: setting === "FILES_DIR" ? environment.filesDir : environment.repositoriesDir,
  } as const;
  const database = await databaseOf(environment);
  try {
    const admin = await administrator(database.url);
    try {
      await requireInstallation(admin);
      report(await folderContent(admin, folder), folder);
      if (await belongsToAnother(admin, folder)) process.stdout.write(warning);
      if (values.yes) await acceptFolder(admin, folder);
    } finally {
      await admin.end();
    }
  } finally {
    await database.close();
  }
  process.stdout.write(
    values.yes
      ? `The folder is accepted. Start the platform.\n`
      : `Accept the folder with: npm run -s accept-folder -- ${setting} --yes\n`,
  );
}

function report({ kind, expected, missing, examples, effect }: FolderContent, { setting, path }: SharedFolder): void {
  if (missing === 0) return void process.stdout.write(`${setting}=${path} has all ${expected} ${kind}.\n`);
  process.stdout.write(`${setting}=${path} lacks ${missing} of ${expected} ${kind}:\n`);
  for (const example of examples) process.stdout.write(`  ${example}\n`);
  if (missing > examples.length) process.stdout.write(`  and ${missing - examples.length} more\n`);
  process.stdout.write(`${effect}\n`);
}

main().catch(failTool(usage));
