import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Clone {
  readonly files: readonly string[];
  /** Commit messages, newest first. */
  readonly commits: readonly string[];
  read(path: string): Promise<string>;
  treeSha(): Promise<string>;
  /** The files after `git apply` with this patch. Nothing is committed. */
  apply(patch: string): Promise<string>;
  remove(): Promise<void>;
}

/** Runs `git clone` with the token as password, as the README shows it. */
export async function cloneOf(repository: string, token: string): Promise<Clone> {
  const folder = await mkdtemp(join(tmpdir(), "factory-clone-"));
  const url = new URL(repository);
  url.username = "x";
  url.password = token;
  const clone = run("git", ["clone", "--quiet", url.href, folder]);
  await clone.catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const { stdout: files } = await run("git", ["-C", folder, "ls-files"]);
  const { stdout: log } = await run("git", ["-C", folder, "log", "--format=%B%x00"]);
  return {
    files: files.split("\n").filter(Boolean),
    commits: log
      .split("\0")
      .map((message) => message.trim())
      .filter(Boolean),
    read: (path) => readFile(join(folder, path), "utf8"),
    treeSha: async () => (await run("git", ["-C", folder, "rev-parse", "HEAD^{tree}"])).stdout.trim(),
    async apply(patch) {
      await writeFile(join(folder, ".git", "preview.patch"), patch);
      await run("git", ["-C", folder, "apply", "--index", ".git/preview.patch"]);
      return (await run("git", ["-C", folder, "write-tree"])).stdout.trim();
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
