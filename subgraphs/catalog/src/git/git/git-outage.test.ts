import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fileFailure } from "@factory/runtime/errors/file-failure";
import { SmallDisk } from "@factory/runtime/files/small-disk.fixture";
import { ensureCompiled } from "@factory/runtime/threads/compiled-worker.fixture";
import { BareRepository } from "./bare-repository.fixture.js";
import { GitError, git } from "./git.js";

const failureOf = (running: Promise<unknown>) =>
  running.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A git command that fails with this text. */
const saying = (text: string) => ["-c", `alias.say=!echo "${text}" >&2; exit 1`, "say"];

describe("git without a disk", () => {
  it("is an outage where git itself meets a full disk", async () => {
    const repository = await BareRepository.create();
    try {
      await repository.commit("main", { "a.txt": "1" });
      const failure = await failureOf(repository.run(["archive", "--output=/dev/full", "main"]));
      expect(failure).toMatchObject({ name: "FileOutage", code: "ENOSPC", fileFailure: "Full" });
    } finally {
      await repository.remove();
    }
  });

  it("is an outage when the embedded store is full, and not when a target of a tenant is", async () => {
    const text = "remote: fatal: write error: No space left on device";
    expect(fileFailure(await failureOf(git(saying(text), { isLocalRemote: true })))).toBe("Full");
    for (const remote of [text, "fatal: remote error: Read-only file system"])
      expect(await failureOf(git(saying(remote)))).toBeInstanceOf(GitError);
  });

  it("is an outage when a push meets a full disk", async () => {
    const [disk, repository] = [await SmallDisk.open(), await BareRepository.create()];
    try {
      await repository.commit("main", { "a.txt": "1" });
      const target = join(disk.path, "target.git");
      await mkdir(target);
      await git(["init", "--quiet", "--bare", target]);
      const push = ["push", "--porcelain", pathToFileURL(target).href, "main:refs/heads/main"];
      const options = { cwd: repository.folder, env: { GIT_ALLOW_PROTOCOL: "file" }, isLocalRemote: true };
      await disk.fill();
      const failure = await failureOf(git(push, options));
      // a disk that is away has no repository
      expect(fileFailure(failure)).toBe(disk.isMounted ? "Full" : undefined);
      await disk.free();
      await git(push, options);
    } finally {
      await repository.remove();
      await disk.close();
    }
  });

  it("is an outage without file descriptors, from which the process recovers", () => {
    const workspace = join(dirname(fileURLToPath(import.meta.url)), "../../..");
    ensureCompiled(workspace, { entry: "git/git/git.js", sources: "git/git/*.ts" });
    const script = `
      import { openSync, closeSync } from "node:fs";
      import { git } from ${JSON.stringify(pathToFileURL(join(workspace, "dist/git/git/git.js")).href)};
      await git(["version"]);
      const held = [];
      try { for (;;) held.push(openSync("/dev/null")); } catch {}
      const failure = await git(["version"]).catch((error) => error);
      for (const one of held) closeSync(one);
      const version = String(await git(["version"]));
      console.log(JSON.stringify({ failure: failure.fileFailure, version }));`;
    const limitedCommand = [
      "-c",
      'ulimit -n 128; exec "$0" --no-warnings --input-type=module -e "$1"',
      process.execPath,
      script,
    ];
    const printedResult = JSON.parse(execFileSync("sh", limitedCommand, { encoding: "utf8" })) as object;
    expect(printedResult).toEqual({ failure: "NoDescriptors", version: expect.stringContaining("git version") });
  });
});
