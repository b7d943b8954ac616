import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Thrown when another running platform uses the data directory. The process exits with status 75. */
export class DataDirectoryInUseError extends Error {
  override readonly name = "DataDirectoryInUseError";

  constructor(
    readonly directory: string,
    /** The holder, if it has written its pid already. */
    readonly pid: number | undefined,
  ) {
    super(
      `${directory} is in use by ${pid === undefined ? "another process" : `process ${pid}`}: ` +
        "stop that platform first, or set DATA_DIR to another directory",
    );
  }
}

interface FormerHolder {
  readonly processId: string;
  /** Whether the process released the directory; otherwise it died. */
  readonly stopped: boolean;
}

/** A process that held the data directory. */
export interface DataDirectoryHolder {
  /** A unique ID for this process among all who hold the directory. A pid is not unique over time. */
  readonly processId: string;
  /** The earlier holders, the newest first; failed starts are included. */
  readonly former: readonly FormerHolder[];
}

export interface DataDirectoryLock extends DataDirectoryHolder {
  release(): void;
}

const sqliteBusy = 5;
const rememberedHolders = 10;

/** Locks the data directory for this process. The kernel releases the lock when the process ends in any way. */
export function lockDataDirectory(directory: string): DataDirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pidFile = join(directory, "lock.pid");
  const database = acquire(join(directory, "lock"));
  if (database === undefined) throw new DataDirectoryInUseError(directory, readPid(pidFile));
  const processId = randomUUID();
  const before = readLines(pidFile).slice(0, rememberedHolders);
  writeLines(pidFile, [`${process.pid} ${processId}`, ...before]);
  return {
    processId,
    former: before.flatMap(formerHolder),
    release() {
      if (!database.isOpen) return;
      try {
        writeLines(pidFile, [`${process.pid} ${processId} stopped`, ...before]);
      } catch {
        // A full disk must not prevent the release. The next holder then treats this process as one that died.
      }
      database.close();
    },
  };
}

// Node has no API for file locks. An exclusive SQLite transaction takes one (fcntl) on a file that stays empty. Never
// open that file elsewhere in this process: closing any descriptor for it releases the lock (POSIX).
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
  const pid = Number.parseInt(readLines(file)[0] ?? "", 10);
  return pid > 0 ? pid : undefined; // 0: the holder has the lock but has not written its pid yet
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}

/** Writes the file atomically: a killed process leaves the old lines or the new ones. */
function writeLines(file: string, lines: readonly string[]): void {
  writeFileSync(`${file}.new`, `${lines.join("\n")}\n`);
  renameSync(`${file}.new`, file);
}

function formerHolder(line: string): FormerHolder[] {
  const [, processId, stopMark] = /^\d+ ([0-9a-f-]{36})( stopped)?$/.exec(line) ?? [];
  return processId === undefined ? [] : [{ processId, stopped: stopMark !== undefined }];
}
