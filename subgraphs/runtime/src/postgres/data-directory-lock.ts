import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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

export interface FormerHolder {
  readonly processId: string;
  /** It let the directory go; else it died. */
  readonly stopped: boolean;
}

export interface DataDirectoryHolder {
  /** Names this process among all that ever held the directory, as a pid would not. */
  readonly processId: string;
  /** Those before, newest first: a start that failed stands before the one that it wanted to follow. */
  readonly former: readonly FormerHolder[];
}

export interface DataDirectoryLock extends DataDirectoryHolder {
  release(): void;
}

const sqliteBusy = 5;
const rememberedHolders = 10;

/** Holds the directory for this process. The kernel lets go when the process ends, however it ends. */
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
        // a full disk must not keep the lock; the next holder takes this process for one that died
      }
      database.close();
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
  const pid = Number.parseInt(readLines(file)[0] ?? "", 10);
  return pid > 0 ? pid : undefined; // the holder has the lock but has not written its pid yet
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}

/** A process that is killed here leaves the old lines or the new ones. */
function writeLines(file: string, lines: readonly string[]): void {
  writeFileSync(`${file}.new`, `${lines.join("\n")}\n`);
  renameSync(`${file}.new`, file);
}

function formerHolder(line: string): FormerHolder[] {
  const [, processId, stopped] = /^\d+ ([0-9a-f-]{36})( stopped)?$/.exec(line) ?? [];
  return processId === undefined ? [] : [{ processId, stopped: stopped !== undefined }];
}
