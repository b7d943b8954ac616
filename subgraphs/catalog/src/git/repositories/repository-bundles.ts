import { opendir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitError, git } from "../git/git.js";
import { createRepository } from "./in-folder/bare-repository.js";

/** A repository in the embedded store. */
export interface StoredRepository {
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  /** HEAD's branch. */
  readonly branch: string;
}

const suffix = ".git";
const branchPrefix = "ref: refs/heads/";
const timeoutMs = 10 * 60_000;

/** All repositories in the embedded store's folder, one after the other. */
export async function* storedRepositories(root: string): AsyncGenerator<StoredRepository, void, undefined> {
  for await (const tenant of foldersIn(root))
    for await (const owner of foldersIn(join(root, tenant)))
      for await (const folder of foldersIn(join(root, tenant, owner))) {
        const name = folder.slice(0, -suffix.length);
        const branch = await branchOf(join(root, tenant, owner, folder));
        if (folder.endsWith(suffix) && branch !== undefined) yield { tenant, owner, name, branch };
      }
}

/**
 * Writes all refs in a repository and their objects to a bundle, beside pushes and git's maintenance. Returns false for
 * a repository without commits, which has no bundle.
 */
export async function writeBundle(root: string, { tenant, owner, name }: StoredRepository, file: string) {
  const cwd = join(root, tenant, owner, `${name}${suffix}`);
  try {
    await git(["bundle", "create", "--quiet", file, "--all"], { cwd, timeoutMs });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.stderr.includes("empty bundle")) return false;
    throw error;
  }
}

/** Makes a repository in the store from its bundle, and checks that its objects are complete. */
export async function readBundle(root: string, { tenant, owner, name, branch }: StoredRepository, file?: string) {
  const cwd = join(root, tenant, owner, `${name}${suffix}`);
  await createRepository(root, cwd);
  await writeFile(join(cwd, "HEAD"), `${branchPrefix}${branch}\n`);
  if (file !== undefined)
    await git(["fetch", "--quiet", "--no-write-fetch-head", "--no-auto-maintenance", file, "+refs/*:refs/*"], {
      cwd,
      timeoutMs,
      env: { GIT_ALLOW_PROTOCOL: "file" },
    });
  return cwd;
}

/** Checks every object in a repository. Throws GitError. */
export async function checkRepository(folder: string): Promise<void> {
  await git(["fsck", "--full", "--no-dangling", "--no-progress"], { cwd: folder, timeoutMs });
}

async function* foldersIn(folder: string): AsyncGenerator<string, void, undefined> {
  const entries = await opendir(folder).catch(absent);
  if (!entries) return;
  for await (const entry of entries) if (entry.isDirectory() && !entry.name.startsWith(".")) yield entry.name;
}

async function branchOf(folder: string): Promise<string | undefined> {
  const head = await readFile(join(folder, "HEAD"), "utf8").catch(absent);
  return head?.startsWith(branchPrefix) ? head.slice(branchPrefix.length).trim() : undefined;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
