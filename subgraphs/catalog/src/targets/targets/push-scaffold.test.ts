import { execFileSync } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { BareRepository } from "../../git/git/bare-repository.fixture.js";
import { blobId } from "../../git/git/blobs.js";
import type { SourcePolicy } from "../../git/git/remote-policy.js";
import { openTarget, pushScaffold, type ScaffoldPush } from "./push-scaffold.js";

const policy: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
const date = new Date("2026-01-02T03:04:05.678Z");

function files(content: Record<string, string>, executable: string[] = []) {
  return new Map(
    Object.entries(content).map(([path, text]) => [
      path,
      { bytes: Buffer.from(text), executable: executable.includes(path) },
    ]),
  );
}

const blobOf = (text: string) => blobId(Buffer.from(text), "sha1");

describe("pushing a scaffold", () => {
  let target: BareRepository;

  beforeEach(async () => {
    target = await BareRepository.create();
  });
  afterEach(() => target.remove());

  const scaffold = (content: Record<string, string>, change: Partial<ScaffoldPush> = {}): ScaffoldPush => ({
    url: target.url,
    branch: "main",
    files: files(content),
    commit: {
      message: "Scaffold web 1.0.0\n\nExecution-Id: exe_1",
      authorName: "Bot",
      authorEmail: "bot@localhost",
      date,
    },
    onConflict: "fail",
    ...change,
  });
  const withExecutionId = (id: string): Partial<ScaffoldPush> => ({
    commit: { ...scaffold({}).commit, message: `Scaffold web 1.0.0\n\nExecution-Id: ${id}` },
  });
  const push = (content: Record<string, string>, change?: Partial<ScaffoldPush>) =>
    pushScaffold(scaffold(content, change), policy);
  const moveBranch = (branch: string, file: string) => {
    const env = {
      PATH: process.env.PATH,
      GIT_DIR: target.folder,
      GIT_AUTHOR_NAME: "T",
      GIT_AUTHOR_EMAIL: "t@localhost",
    };
    const run = (args: string[], input = "") =>
      execFileSync("git", args, { input, env: { ...env, GIT_COMMITTER_NAME: "T", GIT_COMMITTER_EMAIL: "t@localhost" } })
        .toString()
        .trim();
    const blob = run(["hash-object", "-w", "--stdin"], file);
    const rows = run(["ls-tree", branch]);
    const tree = run(["mktree"], `${rows}\n100644 blob ${blob}\t${file}\n`);
    run(["update-ref", `refs/heads/${branch}`, run(["commit-tree", "-m", file, "-p", branch, tree])]);
  };

  it("makes the root commit of an empty repository and leaves HEAD alone", async () => {
    const pushResult = await push({ "a.txt": "1", "src/b c.txt": "2", 'q"\u00fc.txt': "3" }, { branch: "trunk" });
    expect(pushResult).toMatchObject({ changed: true, filesCreated: 3, filesUpdated: 0 });
    expect(await target.head("trunk")).toBe(pushResult.commitSha);
    expect(await target.text("rev-parse", "trunk^{tree}")).toBe(pushResult.treeSha);
    expect(await target.files("trunk")).toEqual({
      "a.txt": "100644 1",
      "src/b c.txt": "100644 2",
      'q"\u00fc.txt': "100644 3",
    });
    expect(await target.text("rev-list", "--count", "trunk")).toBe("1");
    expect(await target.text("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  });

  it("writes author, committer, date and message as given, and executables as such", async () => {
    await push({}, { files: files({ "run.sh": "x", "a.txt": "1" }, ["run.sh"]) });
    expect(await target.text("log", "-1", "--format=%an|%ae|%at|%cn|%ce|%ct|%B", "main")).toBe(
      "Bot|bot@localhost|1767323045|Bot|bot@localhost|1767323045|Scaffold web 1.0.0\n\nExecution-Id: exe_1",
    );
    expect(await target.files("main")).toEqual({ "run.sh": "100755 x", "a.txt": "100644 1" });
  });

  it("gives the same commit for the same content in another repository", async () => {
    const other = await BareRepository.create();
    try {
      const first = await push({ "a.txt": "1", "b.txt": "2" });
      const second = await push({ "b.txt": "2", "a.txt": "1" }, { url: other.url });
      expect(second.commitSha).toBe(first.commitSha);
    } finally {
      await other.remove();
    }
  });

  it("lays the files over an existing branch and keeps what it did not produce", async () => {
    const head = await target.commit("main", {
      "kept/x.txt": "x",
      "same.txt": "s",
      "run.sh": { mode: "100755", content: "r" },
    });
    const pushResult = await push({ "same.txt": "s", "new/y.txt": "y" });
    expect(pushResult).toMatchObject({ changed: true, filesCreated: 1, filesUpdated: 0 });
    expect(await target.text("rev-parse", "main^")).toBe(head);
    expect(await target.files("main")).toEqual({
      "kept/x.txt": "100644 x",
      "same.txt": "100644 s",
      "run.sh": "100755 r",
      "new/y.txt": "100644 y",
    });
  });

  it("starts a missing branch from the default branch", async () => {
    const base = await target.commit("main", { "x.txt": "x" });
    await target.commit("other", { "o.txt": "o" }, { parent: null });
    await push({ "y.txt": "y" }, { branch: "feature/y" });
    expect(await target.text("rev-parse", "feature/y^")).toBe(base);
    expect(await target.head("main")).toBe(base);
    expect(Object.keys(await target.files("feature/y"))).toEqual(["x.txt", "y.txt"]);
  });

  it("starts a missing branch from main when HEAD names a branch that does not exist", async () => {
    await target.run(["symbolic-ref", "HEAD", "refs/heads/gone"]);
    await target.commit("another", { "a.txt": "a" });
    const base = await target.commit("main", { "x.txt": "x" });
    await push({ "y.txt": "y" }, { branch: "feature" });
    expect(await target.text("rev-parse", "feature^")).toBe(base);
  });

  it("makes no commit when the tree is already there", async () => {
    await target.commit("main", { "x.txt": "x", "y.txt": "y" });
    const head = await target.head("main");
    const pushResult = await push({ "x.txt": "x" });
    const treeSha = await target.text("rev-parse", "main^{tree}");
    const files = [{ path: "x.txt", change: "Unchanged", mode: "100644", blobSha: blobOf("x"), size: 1 }];
    expect(pushResult).toEqual({ commitSha: head, treeSha, changed: false, filesCreated: 0, filesUpdated: 0, files });
    expect(await target.head("main")).toBe(head);
  });

  it("creates a missing branch without a commit when the default branch already holds everything", async () => {
    const base = await target.commit("main", { "x.txt": "x" });
    expect(await push({ "x.txt": "x" }, { branch: "copy" })).toMatchObject({ commitSha: base, changed: false });
    expect(await target.head("copy")).toBe(base);
  });

  it("names the files that differ and pushes nothing when conflicts fail", async () => {
    const head = await target.commit("main", {
      "a.txt": "old",
      "run.sh": { mode: "100755", content: "r" },
      "same.txt": "s",
    });
    const attempt = push({ "a.txt": "new", "run.sh": "r", "same.txt": "s", "new.txt": "n" });
    await expect(attempt).rejects.toMatchObject({ code: "TARGET_CONFLICT", facts: { paths: ["a.txt", "run.sh"] } });
    expect(await target.head("main")).toBe(head);
  });

  it("overwrites files that differ when asked to", async () => {
    await target.commit("main", { "a.txt": "old", "b.txt": "b", link: { mode: "120000", content: "/etc/passwd" } });
    const pushResult = await push({ "a.txt": "new", "c.txt": "c", link: "file" }, { onConflict: "overwrite" });
    expect(pushResult).toMatchObject({ changed: true, filesCreated: 1, filesUpdated: 2 });
    expect(await target.files("main")).toEqual({
      "a.txt": "100644 new",
      "b.txt": "100644 b",
      "c.txt": "100644 c",
      link: "100644 file",
    });
  });

  it.each([
    ["a folder", { "src/a.txt": "x" }, { src: "file" }, ["src"]],
    ["a file", { src: "x" }, { "src/deep/a.txt": "y" }, ["src/deep/a.txt"]],
  ])("never replaces %s, not even to overwrite", async (_, existing, producedFiles, paths) => {
    await target.commit("main", existing as unknown as Record<string, string>);
    const attempt = push(producedFiles as unknown as Record<string, string>, { onConflict: "overwrite" });
    await expect(attempt).rejects.toMatchObject({ code: "TARGET_CONFLICT", facts: { paths } });
  });

  it("never writes through a link of the target", async () => {
    await target.commit("main", { out: { mode: "120000", content: "/tmp" } });
    const attempt = push({ "out/a.txt": "y" }, { onConflict: "overwrite" });
    await expect(attempt).rejects.toMatchObject({ code: "TARGET_CONFLICT" });
  });

  it.each(["../x", ".git/hooks/post-checkout", "a/.GIT/config", "/etc/passwd", "a\nb", "C:/x"])(
    "refuses to write %j",
    async (path) => {
      await expect(push({ [path]: "x" })).rejects.toMatchObject({ code: "SOURCE_UNSAFE" });
      expect(await target.head("main")).toBeNull();
    },
  );

  it("edits files of the target, which is no conflict", async () => {
    await target.commit("main", { "props.xml": "<a/>", "run.sh": { mode: "100755", content: "1" } });
    const edits = new Map([
      ["props.xml", (current: Uint8Array) => Buffer.from(`${Buffer.from(current).toString()}<b/>`)],
      ["run.sh", () => Buffer.from("2")],
      ["missing.xml", () => Buffer.from("never")],
    ]);
    expect(await push({ "a.txt": "1" }, { edits })).toMatchObject({ filesCreated: 1, filesUpdated: 2 });
    expect(await target.files("main")).toEqual({
      "a.txt": "100644 1",
      "props.xml": "100644 <a/><b/>",
      "run.sh": "100755 2",
    });
  });

  it("reads no file of a target that is too large to be edited", async () => {
    await target.commit("main", { "props.xml": Buffer.alloc(5 * 1024 * 1024 + 1, 0x20) });
    const openedTarget = await openTarget({ url: target.url, branch: "main" }, policy);
    await expect(openedTarget.file("props.xml")).rejects.toMatchObject({ code: "TARGET_UNAVAILABLE" });
    await openedTarget.close();
  });

  it("shows a target's file before it pushes", async () => {
    await target.commit("main", { "deep/props.xml": "<a/>", link: { mode: "120000", content: "x" } });
    const open = await openTarget({ url: target.url, branch: "new" }, policy);
    try {
      expect(open.base).toBe(await target.head("main"));
      expect(Buffer.from((await open.file("deep/props.xml")) ?? []).toString()).toBe("<a/>");
      expect(await open.file("deep")).toBeUndefined();
      expect(await open.file("link")).toBeUndefined();
      expect(await open.file("none")).toBeUndefined();
      await open.push(scaffold({ "a.txt": "1" }, { branch: "new" }));
    } finally {
      await open.close();
    }
    expect(Object.keys(await target.files("new"))).toContain("a.txt");
  });

  describe("what is said of the files", () => {
    const existing: Record<string, string | { mode: "100755"; content: string }> = {
      "b/differs.txt": "old",
      "b/mode.sh": "m",
      "edited.xml": "<a/>",
      "foreign.txt": "f",
      "same.txt": "s",
      "untouched.xml": "<u/>",
    };
    const producedFiles = { "b/differs.txt": "new", "b/mode.sh": "m", "same.txt": "s", "a.txt": "1" };
    const edits = new Map([
      ["edited.xml", () => Buffer.from("<b/>")],
      ["untouched.xml", (current: Uint8Array) => current],
      ["missing.xml", () => Buffer.from("never")],
    ]);
    const change = { onConflict: "overwrite" as const, edits, files: files(producedFiles, ["b/mode.sh"]) };
    const row = (path: string, changeName: string, text: string, mode = "100644") => {
      return { path, change: changeName, mode, blobSha: blobOf(text), size: text.length };
    };
    const expectedRows = [
      row("a.txt", "Created", "1"),
      row("b/differs.txt", "Updated", "new"),
      row("b/mode.sh", "Updated", "m", "100755"),
      row("edited.xml", "Updated", "<b/>"),
      row("same.txt", "Unchanged", "s"),
      row("untouched.xml", "Unchanged", "<u/>"),
    ];

    it("equals the pushed tree, and is the same when the execution runs again", async () => {
      await target.commit("main", existing);
      const first = await push({}, change);
      expect(first.files).toEqual(expectedRows);
      expect(first).toMatchObject({ filesCreated: 1, filesUpdated: 3 });
      await target.commit("main", { other: "1" });
      expect(await push({}, change)).toEqual(first);
    });

    it("can be known before, with the bytes on both sides, and nothing is pushed", async () => {
      const head = await target.commit("main", existing);
      const open = await openTarget({ url: target.url, branch: "main" }, policy);
      try {
        const { files: preview } = await open.plan({ ...change, onConflict: "fail" });
        const texts = preview.map(({ oldBytes, newBytes, ...rest }) => ({
          ...rest,
          ...(oldBytes && { old: Buffer.from(oldBytes).toString() }),
          ...(newBytes && { new: Buffer.from(newBytes).toString() }),
        }));
        const plain = { conflict: false, conflictingHunks: 0, oldMode: "100644", mode: "100644" };
        const conflicting = { conflict: true, conflictingHunks: 1 };
        expect(texts).toEqual([
          { path: "a.txt", change: "Created", ...plain, oldMode: undefined, new: "1" },
          { path: "b/differs.txt", change: "Updated", ...plain, ...conflicting, old: "old", new: "new" },
          { path: "b/mode.sh", change: "Updated", ...plain, ...conflicting, mode: "100755", old: "m", new: "m" },
          { path: "edited.xml", change: "Updated", ...plain, old: "<a/>", new: "<b/>" },
          { path: "same.txt", change: "Unchanged", ...plain },
          { path: "untouched.xml", change: "Unchanged", ...plain },
        ]);
        expect((await open.plan(change)).files.filter(({ conflict }) => conflict)).toEqual([]);
        expect(await target.head("main")).toBe(head);
        expect((await open.push(scaffold({}, change))).files).toEqual(expectedRows);
      } finally {
        await open.close();
      }
    });

    it("reports a blocked path as a conflict under every rule", async () => {
      await target.commit("main", { "src/x.txt": "x", file: "f" });
      const open = await openTarget({ url: target.url, branch: "main" }, policy);
      try {
        const content = files({ src: "1", "file/a.txt": "2", "ok.txt": "3" });
        const { files: preview } = await open.plan({ files: content, onConflict: "overwrite" });
        expect(preview.map(({ path, conflict }) => [path, conflict])).toEqual([
          ["file/a.txt", true],
          ["ok.txt", false],
          ["src", true],
        ]);
        await expect(open.plan({ files: files({ "../x": "1" }), onConflict: "fail" })).rejects.toMatchObject({
          code: "SOURCE_UNSAFE",
        });
      } finally {
        await open.close();
      }
    });
  });

  describe("a repeated execution", () => {
    it("finds its commit at the head", async () => {
      await target.commit("main", { "x.txt": "x", "a.txt": "old" });
      const change = { onConflict: "overwrite" as const };
      const first = await push({ "a.txt": "1", "b.txt": "2" }, change);
      expect(await push({ "a.txt": "1", "b.txt": "2" }, change)).toEqual(first);
      expect(first).toMatchObject({ changed: true, filesCreated: 1, filesUpdated: 1 });
      expect(await target.text("rev-list", "--count", "main")).toBe("2");
    });

    it("finds its commit under newer ones, even when its files changed since", async () => {
      const first = await push({ "a.txt": "1" });
      for (let index = 0; index < 5; index++) await target.commit("main", { "a.txt": `newer ${index}` });
      expect(await push({ "a.txt": "1" })).toEqual(first);
      expect(await target.text("rev-list", "--count", "main")).toBe("6");
    });

    it("finds its root commit when it is the last of those it looks at, and counts its files", async () => {
      const first = await push({ "a.txt": "1", "b.txt": "2" });
      for (let index = 0; index < 19; index++) await target.commit("main", { "a.txt": `newer ${index}` });
      expect(await push({ "a.txt": "1", "b.txt": "2" })).toEqual(first);
    });

    it("is another one when only the beginning of the id is the same", async () => {
      await push({ "a.txt": "1" }, withExecutionId("exe_12"));
      const second = await push({ "a.txt": "1", "b.txt": "2" }, withExecutionId("exe_1"));
      expect(second.filesCreated).toBe(1);
      expect(await target.text("rev-list", "--count", "main")).toBe("2");
    });
  });

  describe("a lost race", () => {
    const racing = (times: number) => {
      let races = 0;
      return new Map([
        [
          "race.txt",
          (current: Uint8Array) => {
            if (races < times) moveBranch("main", `race-${races++}.txt`);
            return Buffer.concat([current, Buffer.from("!")]);
          },
        ],
      ]);
    };

    it("is won by building again on the newer head; the other's commit stays", async () => {
      await target.commit("main", { "race.txt": "r" });
      const pushResult = await push({ "a.txt": "1" }, { edits: racing(2) });
      expect(await target.head("main")).toBe(pushResult.commitSha);
      expect(Object.keys(await target.files("main"))).toEqual(["a.txt", "race-0.txt", "race-1.txt", "race.txt"]);
      expect((await target.files("main"))["race.txt"]).toBe("100644 r!");
      expect(await target.text("rev-list", "--count", "main")).toBe("4");
    });

    it("ends as TARGET_MOVED after three rebuilds", async () => {
      await target.commit("main", { "race.txt": "r" });
      await expect(push({ "a.txt": "1" }, { edits: racing(9) })).rejects.toMatchObject({ code: "TARGET_MOVED" });
      expect(Object.keys(await target.files("main"))).toEqual([
        "race-0.txt",
        "race-1.txt",
        "race-2.txt",
        "race-3.txt",
        "race.txt",
      ]);
    });

    it("between executions loses no commit", async () => {
      await target.commit("main", { "x.txt": "x" });
      await Promise.all(["1", "2", "3"].map((id) => push({ [`file-${id}.txt`]: id }, withExecutionId(`exe_${id}`))));
      expect(Object.keys(await target.files("main"))).toEqual(["file-1.txt", "file-2.txt", "file-3.txt", "x.txt"]);
      expect(await target.text("rev-list", "--count", "main")).toBe("4");
    });

    it("between first pushes of an empty repository loses no commit", async () => {
      await Promise.all(["1", "2"].map((id) => push({ [`file-${id}.txt`]: id }, withExecutionId(`exe_${id}`))));
      expect(Object.keys(await target.files("main"))).toEqual(["file-1.txt", "file-2.txt"]);
    });
  });

  it("runs no hook of the target, wherever its configuration keeps them", async () => {
    const hook = join(target.folder, "hooks", "pre-receive");
    await writeFile(hook, `#!/bin/sh\ntouch ${target.root}/canary\n`);
    await chmod(hook, 0o755);
    await push({ "a.txt": "1" });
    await target.run(["config", "core.hooksPath", join(target.folder, "hooks")]);
    await push({ "b.txt": "1" }, withExecutionId("exe_2"));
    expect(await target.text("rev-list", "--count", "main")).toBe("2");
    await expect(readFile(join(target.root, "canary"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("pushes into a SHA-256 repository that has commits", async () => {
    const wide = await BareRepository.create({ objectFormat: "sha256" });
    try {
      await wide.commit("main", { "a.txt": "1" });
      const pushResult = await push({ "a.txt": "1", "b.txt": "2" }, { url: wide.url });
      expect(pushResult).toMatchObject({ filesCreated: 1, commitSha: await wide.head("main") });
    } finally {
      await wide.remove();
    }
  });

  it("is refused where there is no repository, and where the remote says no", async () => {
    const missing = push({ "a.txt": "1" }, { url: "file:///nowhere/at/all.git" });
    await expect(missing).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
      message: expect.not.stringContaining("nowhere"),
    });
    await target.commit("main", { "x.txt": "x" });
    await target.run(["config", "receive.denyCurrentBranch", "refuse"]);
    await target.run(["config", "core.bare", "false"]);
    await expect(push({ "a.txt": "1" })).rejects.toMatchObject({ code: "TARGET_FORBIDDEN" });
  });

  it("is refused when the policy does not allow the address", async () => {
    const closedPolicy = { ...policy, allowFile: false };
    await expect(pushScaffold(scaffold({ "a.txt": "1" }), closedPolicy)).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
    });
    const unreachable = push({ "a.txt": "1" }, { url: "http://127.0.0.1:9/x.git" });
    await expect(unreachable).rejects.toMatchObject({ code: "TARGET_UNAVAILABLE" });
  });

  it("stops on abort with the caller's reason", async () => {
    const reason = new Error("cancelled");
    const attempt = pushScaffold(scaffold({ "a.txt": "1" }), policy, { signal: AbortSignal.abort(reason) });
    await expect(attempt).rejects.toBe(reason);
  });

  it("pushes whatever bytes and names are safe, unchanged", async () => {
    const name = fc
      .stringMatching(/^[a-z\u00e0-\u00ff \u4e00-\u4e20"'$%&()+,;=@{}~!#^`]{1,12}$/)
      .filter((text) => !/^[ ]|[ ]$/.test(text) && !text.startsWith("-"));
    const tree = fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 300 })), {
      selector: ([path]) => path.normalize("NFC").toLowerCase(),
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(tree, async (entries) => {
        const fresh = await BareRepository.create();
        try {
          const producedFiles = new Map(entries.map(([path, bytes]) => [`d/${path}`, { bytes, executable: false }]));
          await push({}, { url: fresh.url, files: producedFiles });
          const contents = await fresh.contents("main");
          expect(contents.map(({ path }) => path).toSorted()).toEqual([...producedFiles.keys()].toSorted());
          for (const { path, bytes } of contents)
            expect(Buffer.compare(producedFiles.get(path)?.bytes ?? Buffer.of(), bytes)).toBe(0);
        } finally {
          await fresh.remove();
        }
      }),
      { numRuns: 15 },
    );
  });
});
