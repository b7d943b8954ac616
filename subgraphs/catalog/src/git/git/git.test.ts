import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BareRepository } from "./bare-repository.fixture.js";
import { GitError, git } from "./git.js";
import { gitHome } from "./git-home.js";
import { isSupported, requireGit } from "./git-version.js";
import { scratchFolder, sweepScratch } from "./temporary-folder.js";
import { Workspace } from "./workspace.js";

describe("running git", () => {
  it("shows git nothing of this process and this machine", async () => {
    process.env["CANARY"] = "secret";
    try {
      const env = (await git(["-c", "alias.listed=!env", "listed"])).toString();
      expect(env).not.toContain("secret");
      expect(env).not.toMatch(/^(?:SSH_|AWS_|http_proxy|NODE_|LD_)/im);
    } finally {
      delete process.env["CANARY"];
    }
    expect((await git(["config", "--list", "--show-scope"])).toString()).not.toContain("system");
  });

  it("gives git 2 GiB of memory for what a remote sends", async () => {
    const limit = await git(["-c", "alias.limit=!ulimit -v", "limit"], { unpacks: true });
    expect(limit.toString().trim()).toBe(String(2 * 1024 * 1024));
    await expect(git(["cat-file", "-t", "a b"], { unpacks: true })).rejects.toMatchObject({ exitCode: 128 });
  });

  it("reads its settings from its own home only", async () => {
    const settings = (await git(["config", "--global", "--list"])).toString();
    expect(settings).toContain("core.hookspath=/dev/null");
    expect(settings).toContain("http.followredirects=false");
    expect(settings).toContain("protocol.ext.allow=never");
  });

  it("makes its home again when somebody removed it", async () => {
    await rm((await gitHome()).folder, { recursive: true });
    expect((await git(["config", "--global", "core.hooksPath"])).toString().trim()).toBe("/dev/null");
  });

  it("allows no transport unless the caller names one", async () => {
    const repository = await BareRepository.create();
    try {
      await expect(git(["ls-remote", repository.url])).rejects.toMatchObject({
        stderr: expect.stringContaining("not allowed"),
      });
      const env = { GIT_ALLOW_PROTOCOL: "file" };
      await expect(git(["ls-remote", repository.url], { env })).resolves.toHaveLength(0);
      await expect(git(["ls-remote", "ext::sh -c id"], { env })).rejects.toBeInstanceOf(GitError);
    } finally {
      await repository.remove();
    }
  });

  it("does not look for a repository above the folder it is given", async () => {
    const repository = await BareRepository.create();
    try {
      await mkdir(join(repository.folder, "deeper"));
      await expect(git(["rev-parse", "--git-dir"], { cwd: join(repository.folder, "deeper") })).rejects.toMatchObject({
        stderr: expect.stringContaining("not a git repository"),
      });
    } finally {
      await repository.remove();
    }
  });

  it("tells exit code and message apart from output, and keeps the message out of its own", async () => {
    const failure = (await git(["cat-file", "-t", "nothing"]).catch((error: unknown) => error)) as GitError;
    expect(failure).toMatchObject({ name: "GitError", exitCode: 128, timedOut: false, overflowed: false });
    expect(failure.stderr).not.toBe("");
    expect(failure.message).toBe("git cat-file failed");
  });

  it("cuts output that is too long", async () => {
    const attempt = git(["-c", "alias.endless=!yes", "endless"], { maxOutputBytes: 100_000 });
    await expect(attempt).rejects.toMatchObject({ overflowed: true });
  });

  it("ends a command and its helpers on timeout and on abort", async () => {
    const mark = `97${process.pid}`;
    const running = () =>
      spawnSync("pgrep", ["-f", `sleep ${mark}`])
        .stdout.toString()
        .trim();
    const sleep = ["-c", `alias.wait=!sleep ${mark}; true`, "wait"];
    await expect(git(sleep, { timeoutMs: 150 })).rejects.toMatchObject({ timedOut: true });
    const abort = new AbortController();
    const reason = new Error("stop");
    const attempt = git(sleep, { signal: abort.signal });
    setTimeout(() => abort.abort(reason), 100);
    await expect(attempt).rejects.toBe(reason);
    expect(running()).toBe("");
  });

  it("survives a command that does not read its input", async () => {
    await expect(git(["version"], { input: new Uint8Array(5_000_000) })).resolves.toBeDefined();
  });
});

describe("the version of git", () => {
  it("is new enough here", async () => {
    await expect(requireGit()).resolves.toBeUndefined();
  });

  it.each([
    ["git version 2.30.2", true],
    ["git version 2.39.5 (Apple Git-154)", true],
    ["git version 3.0.0", true],
    ["git version 2.29.9", false],
    ["git version 1.99.1", false],
    ["", false],
  ])("%j is supported: %s", (text, isExpected) => {
    expect(isSupported(text)).toBe(isExpected);
  });
});

describe("workspaces", () => {
  it("are private, and gone after use", async () => {
    const remote = { url: "file:///nowhere", protocol: "file" as const, settings: [] };
    const workspace = await Workspace.open({ remote, timeoutMs: 60_000 });
    expect((await stat(workspace.folder)).mode & 0o777).toBe(0o700);
    await workspace.initialise("sha1");
    expect((await workspace.git(["rev-parse", "--is-bare-repository"])).toString().trim()).toBe("true");
    await workspace.close();
    await expect(stat(workspace.folder)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("of killed processes are swept, others are not", async () => {
    const mine = await scratchFolder();
    const goneFolder = mine.replace(`-${process.pid}-`, `-${spawnSync("true").pid}-`);
    await mkdir(goneFolder);
    await writeFile(join(goneFolder, "secret"), "x");
    const foreign = await mkdtemp(join(tmpdir(), "catalog-test-"));
    await sweepScratch();
    const remainingFolders = await readdir(tmpdir());
    const keptFolders = [mine, goneFolder, foreign].map((folder) =>
      remainingFolders.includes(folder.slice(tmpdir().length + 1)),
    );
    expect(keptFolders).toEqual([true, false, true]);
    await Promise.all([mine, foreign].map((folder) => rm(folder, { recursive: true })));
  });

  it("connect to the pinned address, not to what the name resolves to", async () => {
    const hosts: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const host = "no-such-host.invalid";
    const settings = [`http.curloptResolve=${host}:${port}:127.0.0.1`];
    const remote = { url: `http://${host}:${port}/r.git`, protocol: "http" as const, settings };
    const workspace = await Workspace.open({ remote, timeoutMs: 60_000 });
    try {
      await workspace.initialise("sha1");
      await expect(workspace.git(["ls-remote", "origin"])).rejects.toMatchObject({
        stderr: expect.stringContaining("not found"),
      });
      expect(hosts).toEqual([`${host}:${port}`]);
    } finally {
      await workspace.close();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
