import { appendFile, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { GitError, git } from "../git/git.js";
import { hasFsyncSetting } from "../git/git-version.js";
import type { SourcePolicy } from "../git/remote-policy.js";
import { repositoryNameProblem } from "./repository-name.js";

/** With fsync, an acknowledged push survives a power failure. */
const repositoryConfig = (fsync: string) => `[core]
	${fsync}
[receive]
	denyDeletes = true
	denyNonFastForwards = true
[gc]
	auto = 6700
[maintenance]
	auto = true
`;

interface StoreLocation {
  url: string;
  policy: SourcePolicy;
}

const staleLockMs = 60_000;

const tenantPattern = /^[A-Za-z0-9][\w-]{0,99}$/;

/** The embedded git store: one bare repository for each tenant, owner and name. Its first push creates it. */
export class RepositoryStore {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  /** The policy that allows this store alone, independent of the policy for the addresses of callers. */
  get policy(): SourcePolicy {
    return { allowFile: true, fileRoots: [this.root], allowLoopback: false, allowHosts: [] };
  }

  /** The folder of a repository, created when missing. In a repository without commits, HEAD is set to `branch`. */
  async ensure(tenantId: string, owner: string, name: string, branch = "main"): Promise<string> {
    const folder = this.#folder(tenantId, owner, name);
    if (folder === undefined) throw new Error("The embedded store was given a name that was not validated");
    if (!(await exists(folder))) await this.#create(folder);
    await removeStaleLocks(folder, branch);
    if (!(await hasHead(folder))) await git(["symbolic-ref", "HEAD", `refs/heads/${branch}`], { cwd: folder });
    return folder;
  }

  /** The URL to which an execution pushes, and the policy that allows this store. Creates a missing repository. */
  async location(tenantId: string, owner: string, name: string, branch?: string): Promise<StoreLocation> {
    const folder = await this.ensure(tenantId, owner, name, branch);
    return { url: pathToFileURL(folder).href, policy: this.policy };
  }

  /** The folder of an existing repository; undefined for a missing one and for invalid names. */
  async find(tenantId: string, owner: string, name: string): Promise<string | undefined> {
    const folder = this.#folder(tenantId, owner, name);
    return folder !== undefined && (await exists(folder)) ? folder : undefined;
  }

  #folder(tenantId: string, owner: string, name: string): string | undefined {
    if (!tenantPattern.test(tenantId)) return undefined;
    if (repositoryNameProblem(owner) !== undefined || repositoryNameProblem(name) !== undefined) return undefined;
    return join(this.root, tenantId, owner, `${name}.git`);
  }

  /** Creates the repository under a temporary name and renames it, so that it is never incomplete. */
  async #create(folder: string): Promise<void> {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    const unfinished = await mkdtemp(join(this.root, ".new-"));
    try {
      const fsync = (await hasFsyncSetting()) ? "fsync = all" : "fsyncObjectFiles = true";
      // An empty template: no hooks of this machine.
      await git(["init", "--quiet", "--bare", "--template=", unfinished]);
      await appendFile(join(unfinished, "config"), repositoryConfig(fsync));
      await rename(unfinished, folder);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      // Another first push may have created it.
      if (!(await exists(folder))) throw error;
    }
  }
}

/** A push holds a lock for moments. An old lock is from a killed process, and would refuse every later push. */
async function removeStaleLocks(folder: string, branch: string): Promise<void> {
  for (const name of ["HEAD.lock", "packed-refs.lock", "shallow.lock", `refs/heads/${branch}.lock`]) {
    const lock = join(folder, name);
    const found = await stat(lock).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > staleLockMs) await rm(lock, { force: true });
  }
}

async function hasHead(folder: string): Promise<boolean> {
  try {
    await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd: folder });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) return false;
    throw error;
  }
}

async function exists(folder: string): Promise<boolean> {
  try {
    return (await stat(join(folder, "HEAD"))).isFile();
  } catch {
    return false;
  }
}
