import { randomUUID } from "node:crypto";
import { open, readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FileOutage, fileFailure } from "../errors/file-failure.js";
import { systemErrorCode } from "../errors/system-error.js";

/** A file by which several processes know that they share a folder. */
export const folderMarkFile = ".factory-folder";

/** A disk with less room than this may be too small for work that keeps its own limits. */
const scarceBytes = 256 * 1024 * 1024;
const probeBytes = Buffer.alloc(64 * 1024, 1);
/** A probe that takes longer fails. A busy disk may need seconds to synchronize. */
const probeLimitMs = 20_000;
const lookMs = 250;
const waitLimitMs = 30_000;

/** A folder without which the platform cannot do its work. `FolderWatch` probes it. */
export class PlatformFolder {
  /** The name for the log and for readiness: the setting's name. */
  readonly name: string;
  readonly path: string;
  readonly #limitMs: number;
  #probe: Promise<FileOutage | undefined> | undefined;
  #outage: FileOutage | undefined;
  #freeBytes: number | undefined;
  #mark: string | undefined;

  constructor(name: string, path: string, limitMs = probeLimitMs) {
    this.name = name;
    this.path = path;
    this.#limitMs = limitMs;
  }

  /** The reason why the newest probe failed; undefined while files can be written, and before the first probe. */
  get outage(): FileOutage | undefined {
    return this.#outage;
  }

  get freeBytes(): number | undefined {
    return this.#freeBytes;
  }

  /** Whether the disk may have too little room for work that keeps its own limits. */
  get isScarce(): boolean {
    return this.#outage !== undefined || (this.#freeBytes ?? scarceBytes) < scarceBytes;
  }

  /** From now on the folder fails without this mark: its disk was unmounted, or another one is in its place. */
  requireMark(mark: string): void {
    this.#mark = mark;
  }

  /** Throws the reason while no file can be written, so that a request need not wait for a disk that hangs. */
  requireUsable(): void {
    if (this.#outage) throw this.#outage;
  }

  /** Waits until files can be written. Throws the reason after 30 s, or the signal's reason. */
  async usable(signal: AbortSignal, limitMs = waitLimitMs): Promise<void> {
    const until = performance.now() + limitMs;
    while (this.#outage) {
      if (performance.now() > until) throw this.#outage;
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
  }

  /**
   * Writes a file. Returns the reason when that fails. Missing file descriptors do not change the folder's state. A
   * probe that hangs is not joined by a second one, since each holds a thread.
   */
  async probe(): Promise<FileOutage | undefined> {
    this.#probe ??= this.#write().finally(() => (this.#probe = undefined));
    const late = sleep(this.#limitMs, undefined, { ref: false }).then(
      () => new FileOutage("EIO", `The folder ${this.name} does not answer`),
    );
    const failure = await Promise.race([this.#probe, late]);
    if (failure?.fileFailure !== "NoDescriptors") this.#outage = failure;
    return failure;
  }

  async #write(): Promise<FileOutage | undefined> {
    try {
      if (!(await this.#hasMark()))
        return new FileOutage("EIO", `The folder ${this.name} is another one than at the start`);
      await writeProbe(join(this.path, `.probe-${randomUUID()}`));
      const { bavail, bsize } = await statfs(this.path);
      this.#freeBytes = bavail * bsize;
      return undefined;
    } catch (error) {
      const code = systemErrorCode(error) ?? "EIO";
      const failure = fileFailure(error);
      const message = `The folder ${this.name} takes no files (${code})`;
      // a missing folder, and one without rights, is as useless as a broken disk
      return new FileOutage(failure === undefined ? "EIO" : code, message, { cause: error });
    }
  }

  async #hasMark(): Promise<boolean> {
    if (this.#mark === undefined) return true;
    const text = await readFile(join(this.path, folderMarkFile), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    return text?.trim() === this.#mark;
  }
}

/** The file loses its name before it is written, so that a process that is killed leaves nothing. */
async function writeProbe(path: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await rm(path, { force: true });
    await file.writeFile(probeBytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
