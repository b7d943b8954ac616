import { EnvironmentError } from "@factory/runtime/environment/read-environment";
import { folderWatch } from "@factory/runtime/files/folder-watch";
import type { ClientBase } from "pg";
import type { SharedFolder } from "../settings/platform-folders.js";
import { writeMark } from "./folder-mark.js";
import { makeMark, markIsWritten } from "./folder-mark-statement.js";
import { foreignFolder, readStoredMarks, type StoredMark } from "./stored-marks.js";

/**
 * Writes a mark into each folder that is new to the database. From then on a folder that loses its mark takes no files.
 * Throws EnvironmentError when another process has marked another folder meanwhile. The caller holds the provisioning
 * lock.
 */
export async function markSharedFolders(admin: ClientBase, folders: readonly SharedFolder[]): Promise<void> {
  let marks = await readStoredMarks(admin);
  if (!folders.every(({ setting }) => marks.has(setting))) {
    for (const { setting } of folders) await admin.query(makeMark, [setting]);
    marks = await readStoredMarks(admin);
  }
  for (const folder of folders) {
    const stored = marks.get(folder.setting);
    if (stored !== undefined) await mark(admin, folder, stored);
  }
}

async function mark(admin: ClientBase, folder: SharedFolder, stored: StoredMark): Promise<void> {
  const problem = await foreignFolder(folder, stored);
  if (problem !== undefined) throw new EnvironmentError(problem);
  if (!stored.isWritten) {
    await writeMark(folder.path, stored.mark);
    await admin.query(markIsWritten, [folder.setting]);
  }
  folderWatch.folder(folder.setting, folder.path).requireMark(stored.mark);
}
