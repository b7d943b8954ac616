import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { folderMarkFile } from "@factory/runtime/files/platform-folder";

/** A folder's mark: a UUID that the database also has. Undefined for a folder that is missing or has none. */
export async function readMark(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, folderMarkFile), "utf8")).trim();
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes the mark, which survives a power loss. */
export async function writeMark(folder: string, mark: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = join(folder, `${folderMarkFile}.part`);
  await synchronized(part, "w", (file) => file.writeFile(`${mark}\n`));
  await rename(part, join(folder, folderMarkFile));
  await synchronized(folder, "r", async () => undefined);
}

async function synchronized(
  path: string,
  flags: string,
  write: (file: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
}
