import { folderMarkFile } from "@factory/runtime/files/platform-folder";
import type { ClientBase } from "pg";
import type { SharedFolder } from "../settings/platform-folders.js";
import { readMark } from "./folder-mark.js";
import { foldersAreKept, storedMarks } from "./folder-mark-statement.js";

/** The mark that the database has for a folder. */
export interface StoredMark {
  readonly setting: string;
  readonly mark: string;
  /** Whether the mark was written into the folder: from then on, a folder without it is another one. */
  readonly isWritten: boolean;
}

/** An installation's marks by setting. Empty before its first start. */
export async function readStoredMarks(admin: ClientBase): Promise<ReadonlyMap<string, StoredMark>> {
  const { rows } = await admin.query<{ kept: boolean }>(foldersAreKept);
  if (!rows[0]?.kept) return new Map();
  const marks = await admin.query<StoredMark>(storedMarks);
  return new Map(marks.rows.map((storedMark) => [storedMark.setting, storedMark]));
}

/** Why a folder is not the one that the processes on this database share. Undefined when it is, or may become it. */
export async function foreignFolder(
  { setting, path }: SharedFolder,
  storedMark: StoredMark | undefined,
): Promise<string | undefined> {
  const { mark, error } = await readMark(path).then(
    (mark) => ({ mark, error: undefined }),
    (error: NodeJS.ErrnoException) => ({ mark: undefined, error }),
  );
  if (error !== undefined)
    return `${setting}=${path}: ${folderMarkFile} in it cannot be read (${error.code ?? error.message}). Give the account of the platform the right to read it, or repair the file system.`;
  if (storedMark !== undefined && mark === storedMark.mark) return undefined;
  if (storedMark?.isWritten)
    return `${setting}=${path} is not the folder that this database knows: ${folderMarkFile} in it ${mark === undefined ? "is missing" : "names another installation"}. Mount that folder, set ${setting} to the folder of the other processes, or accept this one: npm run -s accept-folder -- ${setting}.`;
  if (mark === undefined) return undefined;
  return `${setting}=${path} belongs to another database. Set ${setting} to a new folder; or, if that installation is gone, remove ${folderMarkFile} from this one.`;
}
