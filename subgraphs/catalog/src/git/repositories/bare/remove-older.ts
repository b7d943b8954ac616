import type { Dirent } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "@factory/runtime/errors/system-error";

/** Longer than a clone, an execution and a merge may take. Anything older was left by a dead process. */
export const inUseMs = 15 * 60_000;

/** Removes the entries in a folder whose last change is before `oldest` (epoch milliseconds). */
export async function removeOlder(folder: string, oldest: number, isMeant: (name: string) => boolean): Promise<void> {
  for (const { name } of await entriesOf(folder))
    if (isMeant(name) && (await timeOf(join(folder, name))) < oldest) await removeFolder(join(folder, name));
}

/** The entries in a folder; none for a missing folder. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(ifMissing<Dirent[]>([]));
}

/** When the folder was last changed, which counts as its last use. A missing folder counts as used now. */
export const timeOf = (path: string): Promise<number> =>
  stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(Number.POSITIVE_INFINITY));

export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });

export function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return value;
  };
}
