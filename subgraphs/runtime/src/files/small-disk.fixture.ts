import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const prefix = "small-disk-";
/** This fixture's mount points, each with the process that made it. */
const mountLine = new RegExp(`^\\S+ (\\S*/${prefix}(\\d+)-\\S*) tmpfs `, "gm");

/**
 * A small disk that a test fills and frees. It is a file system in memory where this process may mount one. Elsewhere a
 * full disk is a folder that is away, which is a real failure too, but without ENOSPC.
 */
export class SmallDisk {
  readonly path: string;
  readonly isMounted: boolean;

  private constructor(path: string, isMounted: boolean) {
    this.path = path;
    this.isMounted = isMounted;
  }

  static async open(mebibytes = 32): Promise<SmallDisk> {
    await unmountLeft();
    const path = join(await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`)), "disk");
    await mkdir(path, { mode: 0o700 });
    const mounting = run("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0700`, "small-disk", path]);
    const isMounted = await mounting.then(
      () => true,
      () => false,
    );
    return new SmallDisk(path, isMounted);
  }

  /** From now on no byte can be written. */
  async fill(): Promise<void> {
    if (this.isMounted) return fill(join(this.path, "fill"));
    await rename(this.path, `${this.path}.away`);
    await writeFile(this.path, "");
  }

  async free(): Promise<void> {
    if (this.isMounted) return rm(join(this.path, "fill"), { force: true });
    if (!existsSync(`${this.path}.away`)) return;
    await rm(this.path, { recursive: true });
    await rename(`${this.path}.away`, this.path);
  }

  async close(): Promise<void> {
    await this.free();
    if (this.isMounted) await run("umount", ["-l", this.path]);
    await rm(dirname(this.path), { recursive: true, force: true });
  }
}

async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (let bytes = 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2))
      await writeWhileRoom(file, Buffer.alloc(bytes));
  } finally {
    await file.close();
  }
}

async function writeWhileRoom(file: { write(bytes: Buffer): Promise<unknown> }, bytes: Buffer): Promise<void> {
  for (;;) {
    try {
      await file.write(bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") return;
      throw error;
    }
  }
}

/** Unmounts what runs that were killed have left. */
async function unmountLeft(): Promise<void> {
  const mounts = await readFile("/proc/mounts", "utf8").catch(() => "");
  for (const [, path = "", pid] of mounts.matchAll(mountLine)) {
    if (existsSync(`/proc/${pid}`)) continue;
    await run("umount", ["-l", path]).catch(() => undefined);
    await rm(dirname(path), { recursive: true, force: true }).catch(() => undefined);
  }
}
