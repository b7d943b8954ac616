import { createWriteStream } from "node:fs";
import { mkdir, open, opendir } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { folderMarkFile } from "@factory/runtime/files/platform-folder";
import { type ArchiveEntry, readArchive, writeArchive } from "./sealed-folder/archive.js";
import type { BackupFolder } from "./sealed-folder/backup-folder.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest } from "./sealed-folder/manifest.js";
import type { Progress } from "./sealed-folder/progress.js";

/** A content that is still being written. */
const unfinishedSuffix = ".part";

/** Copies the files in FILES_DIR. A complete file never changes; one that retention removes meanwhile is left out. */
export function copyFiles(filesDir: string, folder: BackupFolder, progress: Progress): Promise<Manifest["files"]> {
  return writeArchive(folder, "files", entries(filesDir, filesDir, progress));
}

async function* entries(root: string, folder: string, progress: Progress): AsyncGenerator<ArchiveEntry, void> {
  const listing = await opendir(folder).catch(absent);
  if (!listing) return;
  for await (const entry of listing) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) yield* entries(root, file, progress);
    if (!entry.isFile() || entry.name.endsWith(unfinishedSuffix) || entry.name === folderMarkFile) continue;
    const handle = await open(file).catch(absent);
    if (!handle) continue;
    progress.step("files");
    const { size } = await handle.stat();
    const content = handle.createReadStream({ start: 0, end: size });
    yield { name: relative(root, file).split(sep).join("/"), size, content };
  }
}

/** Writes a backup's files into an empty FILES_DIR. */
export async function restoreFiles(filesDir: string, files: Manifest["files"], folder: BackupFolder): Promise<void> {
  await eachFile(files, folder, async (name, content) => {
    const file = resolve(filesDir, name);
    if (!file.startsWith(`${resolve(filesDir)}${sep}`))
      throw new BackupProblem(`A file is outside of FILES_DIR: ${name}`);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(content, createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
  });
}

/** Reads all files in a backup. */
export async function checkFiles(files: Manifest["files"], folder: BackupFolder): Promise<void> {
  await eachFile(files, folder, (_, content) =>
    pipeline(content, new Writable({ write: (_bytes, _encoding, callback) => callback() })),
  );
}

async function eachFile(
  { count, part }: Manifest["files"],
  folder: BackupFolder,
  take: (name: string, content: NodeJS.ReadableStream) => Promise<void>,
): Promise<void> {
  const readCount = await readArchive(folder, part, ({ name }, content) => take(name, content));
  if (readCount !== count) throw new BackupProblem(`The backup has ${readCount} files and not ${count}.`);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
