import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import type { BackupEnvironment } from "./environment.js";
import type { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Part } from "./sealed-folder/manifest.js";

const form = z.object({
  /** The newest first. */
  secretsKeys: z.array(z.string()).min(1),
  /** Texts of files in DATA_DIR by path: the administrator's client, and the gRPC authority. */
  files: z.record(z.string().regex(/^(?:tls\/)?[\w-]+\.[a-z]+$/), z.string()),
});

/** The keys that open the stored secrets, and the files that prove the platform's identity. */
type InstallationKeys = z.infer<typeof form>;

type KeySettings = Pick<BackupEnvironment, "dataDir" | "secretsKey" | "previousSecretsKeys">;

const keysFile = "secrets.key";

/** Writes an installation's keys as a backup file. */
export async function copyKeys(settings: KeySettings, folder: BackupFolder): Promise<Part> {
  return folder.write("keys", Readable.from([JSON.stringify(await readKeys(settings))]));
}

async function readKeys({ dataDir, secretsKey, previousSecretsKeys }: KeySettings): Promise<InstallationKeys> {
  const keptKeys = await textOf(join(dataDir, keysFile));
  const newest = secretsKey === undefined ? (keptKeys ?? "").trim().split(/\s*\n\s*/) : [secretsKey];
  const secretsKeys = [...newest, ...previousSecretsKeys].filter(Boolean);
  if (secretsKeys.length === 0)
    throw new BackupProblem(`Set SECRETS_KEY as for the platform: ${dataDir} has no ${keysFile} either.`);
  const files: InstallationKeys["files"] = {};
  for (const file of ["bootstrap.json", ...(await tlsFiles(dataDir))]) {
    const content = await textOf(join(dataDir, file));
    if (content !== undefined) files[file] = content;
  }
  return { secretsKeys, files };
}

export async function openKeys(part: Part, folder: BackupFolder): Promise<InstallationKeys> {
  return form.parse(JSON.parse(await folder.readText(part)));
}

/** Refuses a SECRETS_KEY that would not open what the backup has. */
export function checkKeys({ secretsKeys }: InstallationKeys, { secretsKey, previousSecretsKeys }: KeySettings): void {
  if (secretsKey === undefined) return;
  const givenKeys = new Set([secretsKey, ...previousSecretsKeys]);
  if (!givenKeys.has(secretsKeys[0] ?? ""))
    throw new BackupProblem(
      `SECRETS_KEY is not the key of the backup. Give that one, or none: it is then written to DATA_DIR/${keysFile}.`,
    );
}

/** Writes the keys into DATA_DIR. A SECRETS_KEY from the environment stays there, and not in a file. */
export async function restoreKeys(keys: InstallationKeys, { dataDir, secretsKey }: KeySettings): Promise<void> {
  if (secretsKey === undefined) await writeSecret(join(dataDir, keysFile), `${keys.secretsKeys.join("\n")}\n`);
  await mkdir(join(dataDir, "tls"), { recursive: true, mode: 0o700 });
  for (const [file, content] of Object.entries(keys.files)) await writeSecret(join(dataDir, file), content);
}

const writeSecret = (file: string, content: string) => writeFile(file, content, { mode: 0o600, flush: true });

async function tlsFiles(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, "tls")).catch(absent);
  return (names ?? []).filter((name) => /\.(?:crt|key)$/.test(name)).map((name) => `tls/${name}`);
}

const textOf = (file: string): Promise<string | undefined> => readFile(file, "utf8").catch(absent);

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
