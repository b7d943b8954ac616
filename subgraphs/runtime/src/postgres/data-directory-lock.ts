import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another live platform works on the same data directory; the process exits with 75. */
export class DataDirectoryInUseError extends Error {
  override readonly name = "DataDirectoryInUseError";

  constructor(
    readonly directory: string,
    /** The holder, as far as it had written its pid. */
    readonly pid: number | undefined,
  ) {
    super(
      `${directory} is in use by ${pid === undefined ? "another process" : `process ${pid}`}: ` +
        "stop that platform first, or set DATA_DIR to another directory",
    );
  }
}

export interface DataDirectoryLock {
  release(): void;
}

const sqliteBusy = 5;

/** Holds the directory for this process. The kernel lets go when the process ends, however it ends. */
export function lockDataDirectory(directory: string): DataDirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pidFile = join(directory, "lock.pid");
  const database = acquire(join(directory, "lock"));
  if (database === undefined) throw new DataDirectoryInUseError(directory, readPid(pidFile));
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    release() {
      if (database.isOpen) database.close();
    },
  };
}

// Node has no call for advisory locks; SQLite's exclusive transaction is one (fcntl), and it stays an empty file.
// Never read that file in this process: closing any descriptor of it would drop the lock (POSIX).
function acquire(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined; // the holder has the lock but has not written its pid yet
  }
}
