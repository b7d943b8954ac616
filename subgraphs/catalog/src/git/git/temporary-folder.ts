import { createHash } from "node:crypto";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { scratchRoot } from "./environment.js";

// Containers that share a temporary folder have their own process ids, so the host is part of the name.
const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
const prefix = `factory-git-${host}-`;
const ownedPattern = new RegExp(`^${prefix}(\\d+)-`);

let swept: Promise<void> | undefined;

/**
 * Creates a private temporary folder. The first call also removes the folders of killed processes. Throws FileOutage
 * while the folder of all temporary folders takes no files.
 */
export async function scratchFolder(): Promise<string> {
  scratchRoot.requireUsable();
  swept ??= sweepScratch();
  await swept.catch((error: unknown) => {
    swept = undefined;
    throw error;
  });
  return mkdtemp(join(scratchRoot.path, `${prefix}${process.pid}-`));
}

/** Removes a folder that `scratchFolder` created. */
export async function removeScratch(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Removes the temporary folders that ended processes have left. */
export async function sweepScratch(): Promise<void> {
  const names = await readdir(scratchRoot.path);
  await Promise.all(names.map((name) => sweepOne(name)));
}

async function sweepOne(name: string): Promise<void> {
  const pid = ownedPattern.exec(name)?.[1];
  if (pid === undefined || isAlive(Number(pid))) return;
  const folder = join(scratchRoot.path, name);
  try {
    const stats = await lstat(folder);
    if (stats.isDirectory() && stats.uid === process.getuid?.()) await removeScratch(folder);
  } catch {
    // Another process has removed it first.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== "ESRCH";
  }
}
