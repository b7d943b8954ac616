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
    const storedMark = marks.get(folder.setting);
    if (storedMark !== undefined) await mark(admin, folder, storedMark);
  }
}

async function mark(admin: ClientBase, folder: SharedFolder, storedMark: StoredMark): Promise<void> {
  const problem = await foreignFolder(folder, storedMark);
  if (problem !== undefined) throw new EnvironmentError(problem);
  if (!storedMark.isWritten) {
    await writeMark(folder.path, storedMark.mark);
    await admin.query(markIsWritten, [folder.setting]);
  }
  folderWatch.folder(folder.setting, folder.path).requireMark(storedMark.mark);
}
