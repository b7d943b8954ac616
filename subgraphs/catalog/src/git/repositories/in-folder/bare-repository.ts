import { appendFile, mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isFileOutage } from "@factory/runtime/errors/file-failure";
import { GitError, git } from "../../git/git.js";
import { hasFsyncSetting } from "../../git/git-version.js";
import type { Ref } from "../bare/bare-folder.js";
import { unfinishedPrefix } from "./folder-tidying.js";

/** With fsync, an acknowledged push survives a power failure. */
const repositoryConfig = (fsync: string) => `[core]
	${fsync}
[gc]
	auto = 6700
`;

const staleLockMs = 60_000;
const maxRefBytes = 64 * 1024 * 1024;

/** The branch that HEAD names, and all refs in the order of their names. */
export async function readRefs(folder: string): Promise<{ head: string; refs: Ref[] }> {
  const format = "--format=%(objectname) %(refname)";
  const refList = await git(["for-each-ref", format], { cwd: folder, maxOutputBytes: maxRefBytes });
  const lines = refList.toString("utf8").split("\n").filter(Boolean);
  const refs = lines.map((line) => ({ objectId: line.slice(0, 40), name: line.slice(41) }));
  return { head: (await readFile(join(folder, "HEAD"), "utf8")).trim().replace(/^ref: refs\/heads\//, ""), refs };
}

/** Creates the repository under a temporary name and renames it, so that it is never incomplete. */
export async function createRepository(root: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const unfinishedFolder = await mkdtemp(join(root, unfinishedPrefix));
  try {
    const fsync = (await hasFsyncSetting()) ? "fsync = all" : "fsyncObjectFiles = true";
    // An empty template: no hooks from this machine.
    await git(["init", "--quiet", "--bare", "--template=", unfinishedFolder]);
    await appendFile(join(unfinishedFolder, "config"), repositoryConfig(fsync));
    await rename(unfinishedFolder, folder);
  } catch (error) {
    await rm(unfinishedFolder, { recursive: true, force: true });
    // Another first push may have created it.
    if (!(await isRepository(folder))) throw error;
  }
}

export async function isRepository(folder: string): Promise<boolean> {
  try {
    return (await stat(join(folder, "HEAD"))).isFile();
  } catch (error) {
    // a repository on a disk that cannot be read is not missing
    if (isFileOutage(error)) throw error;
    return false;
  }
}

/** Moves a ref from `expected` (null: it is new). False when it is elsewhere. */
export async function moveBareRef(
  folder: string,
  { ref, expected, commit }: { ref: string; expected: string | null; commit: string },
): Promise<boolean> {
  try {
    await git(["update-ref", "--no-deref", ref, commit, expected ?? "0".repeat(40)], { cwd: folder });
    return true;
  } catch (error) {
    if (error instanceof GitError && /cannot lock ref/.test(error.stderr)) return false;
    throw error;
  }
}

/** The bytes in all objects, and the number of packs. */
export async function countObjects(folder: string): Promise<{ bytes: number; packs: number }> {
  const counts = String(await git(["count-objects", "-v"], { cwd: folder }));
  const value = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(counts)?.[1] ?? 0);
  return { bytes: 1024 * (value("size") + value("size-pack")), packs: value("packs") };
}

/** Git holds a lock for moments. An old lock is from a killed process, and would refuse every later push. */
export async function removeStaleLocks(folder: string, ref: string): Promise<void> {
  for (const name of ["HEAD.lock", "packed-refs.lock", `${ref}.lock`]) {
    const lock = join(folder, name);
    const stats = await stat(lock).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > staleLockMs) await rm(lock, { force: true });
  }
}
