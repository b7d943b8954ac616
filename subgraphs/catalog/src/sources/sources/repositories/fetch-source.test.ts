import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, readdir, symlink } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BareRepository, type FixtureFile } from "../../../git/git/bare-repository.fixture.js";
import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { type GitSourceRef, parseSourceRef } from "../references/source-ref.js";
import { fetchSource } from "./fetch-source.js";
import { resolveSource } from "./resolve-source.js";

const policy: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
const options = { timeoutMs: 60_000 };

function sourceRef(text: string): GitSourceRef {
  const parseResult = parseSourceRef(text);
  if (!("ref" in parseResult) || parseResult.ref.kind !== "git") throw new Error(`unreadable: ${text}`);
  return parseResult.ref;
}

describe("a git source", () => {
  let repository: BareRepository;

  beforeEach(async () => {
    repository = await BareRepository.create();
  });
  afterEach(() => repository.remove());

  const refTo = (fragment: string) => sourceRef(`git+${repository.url}${fragment}`);
  const resolve = (fragment: string) => resolveSource(refTo(fragment), policy, options);
  const fetchAt = async (fragment: string) =>
    fetchSource(sourceRef((await resolve(fragment)).resolvedRef), policy, options);
  const texts = (files: ReadonlyMap<string, { bytes: Uint8Array }>) =>
    Object.fromEntries([...files].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString("utf8")]));

  it("resolves HEAD, a branch, a tag, an annotated tag and a commit", async () => {
    const first = await repository.commit("main", { "a.txt": "1" });
    const second = await repository.commit("feature/x", { "a.txt": "2" }, { parent: first });
    await repository.run(["update-ref", "refs/tags/light", first]);
    await repository.run([
      "-c",
      "user.name=T",
      "-c",
      "user.email=t@localhost",
      "tag",
      "-a",
      "-m",
      "x",
      "noted",
      second,
    ]);

    expect((await resolve("")).commit).toBe(first);
    expect((await resolve("#feature/x")).commit).toBe(second);
    expect((await resolve("#light")).commit).toBe(first);
    expect((await resolve("#noted")).commit).toBe(second);
    expect((await resolve("#refs/heads/feature/x")).commit).toBe(second);
    expect(await resolve(`#${first}:web`)).toEqual({
      commit: first,
      resolvedRef: `git+${repository.url}#${first}:web`,
    });
  });

  it("prefers a tag over a branch of the same name", async () => {
    const taggedCommit = await repository.commit("other", { "a.txt": "1" });
    await repository.commit("v1", { "a.txt": "2" });
    await repository.run(["update-ref", "refs/tags/v1", taggedCommit]);
    expect((await resolve("#v1")).commit).toBe(taggedCommit);
  });

  it("reads the files of one folder with their bytes and execute bits", async () => {
    const binary = randomBytes(70_000);
    await repository.commit("main", {
      "outside.txt": "no",
      "web/a b.txt": "text\r\n",
      "web/deep/run.sh": { mode: "100755", content: "#!/bin/sh\n" },
      "web/ünï.bin": binary,
      "web/copy.txt": "text\r\n",
    });
    const { files } = await fetchAt("#main:web");
    expect([...files.keys()].toSorted()).toEqual(["a b.txt", "copy.txt", "deep/run.sh", "ünï.bin"]);
    expect(Buffer.from(files.get("ünï.bin")?.bytes ?? []).equals(binary)).toBe(true);
    expect(files.get("deep/run.sh")?.executable).toBe(true);
    expect(files.get("a b.txt")?.executable).toBe(false);
    expect(Buffer.from(files.get("copy.txt")?.bytes ?? []).toString()).toBe("text\r\n");
  });

  it("reads the whole repository when no folder is named", async () => {
    await repository.commit("main", { "a.txt": "1", "b/c.txt": "2", empty: "" });
    expect(texts((await fetchAt("")).files)).toEqual({ "a.txt": "1", "b/c.txt": "2", empty: "" });
  });

  it("digests mode, path, size and blob of every file, and nothing else", async () => {
    const commit = await repository.commit("main", { "b.txt": "2", "a/x": { mode: "100755", content: "1" } });
    const id = (text: string) => createHash("sha1").update(`blob ${text.length}\0${text}`).digest("hex");
    const lines = [`100644 b.txt 1 ${id("2")}`, `100755 a/x 1 ${id("1")}`].join("\n");
    const expectedDigest = `sha256:${createHash("sha256").update(lines).digest("hex")}`;
    expect(await fetchAt("")).toMatchObject({ contentDigest: expectedDigest, commit });

    await repository.commit("main", { "b.txt": "2", "a/x": { mode: "100755", content: "1" } }, { message: "again" });
    expect((await fetchAt("")).contentDigest).toBe(expectedDigest);
    await repository.commit("main", { "b.txt": "2", "a/x": "1" });
    expect((await fetchAt("")).contentDigest).not.toBe(expectedDigest);
  });

  it("keeps to the pinned commit after the branch moved or was rewritten", async () => {
    const pinnedCommit = await repository.commit("main", { "a.txt": "old" });
    await repository.commit("main", { "a.txt": "new" }, { parent: null });
    expect(texts((await fetchAt(`#${pinnedCommit}`)).files)).toEqual({ "a.txt": "old" });
  });

  it("reads a repository that belongs to another user", async () => {
    await repository.commit("main", { "a.txt": "1" });
    if (process.getuid?.() === 0) await chown(repository.folder, 65_534, 65_534);
    expect(texts((await fetchAt("")).files)).toEqual({ "a.txt": "1" });
  });

  it("reads a SHA-256 repository", async () => {
    const wide = await BareRepository.create({ objectFormat: "sha256" });
    try {
      const commit = await wide.commit("main", { "a.txt": "1" });
      expect(commit).toHaveLength(64);
      const source = await fetchSource(sourceRef(`git+${wide.url}#${commit}`), policy, options);
      expect(texts(source.files)).toEqual({ "a.txt": "1" });
    } finally {
      await wide.remove();
    }
  });

  it.each<[string, Record<string, FixtureFile>]>([
    ["a symbolic link", { "a.txt": "1", link: { mode: "120000", content: "/etc/passwd" } }],
    ["a submodule", { "a.txt": "1", sub: { mode: "160000", content: "1".repeat(40) } }],
    ["a .git folder", { ".git/config": "x" }],
    ["a .GIT folder", { "a/.GIT/config": "x" }],
    ["git~1", { "git~1/config": "x" }],
    ["a parent folder", { "../x": "x" }],
    ["a reserved name", { "a/CON.txt": "x" }],
    ["a name that ends in a dot", { "a.": "x" }],
    ["a backslash", { "a\\b": "x" }],
    ["a line break", { "a\nb": "x" }],
    ["twins in case", { "A.txt": "1", "a.txt": "2" }],
    ["twins in case of a folder", { "Src/a.txt": "1", "src/b.txt": "2" }],
    ["twins in Unicode form", { "\u00e9.txt": "1", "e\u0301.txt": "2" }],
  ])("refuses %s", async (_, files) => {
    await repository.commit("main", files);
    await expect(fetchAt("")).rejects.toMatchObject({ code: "SOURCE_UNSAFE" });
  });

  it.each<[string, Record<string, FixtureFile>]>([
    ["a symbolic link", { "a.txt": "1", link: { mode: "120000", content: "/etc/passwd" } }],
    ["a submodule", { "a.txt": "1", sub: { mode: "160000", content: "1".repeat(40) } }],
    ["twins in case", { "A.txt": "1", "a.txt": "2" }],
  ])("refuses %s in the named folder", async (_, files) => {
    const inside = Object.fromEntries(Object.entries(files).map(([path, file]) => [`inner/${path}`, file]));
    await repository.commit("main", inside);
    await expect(fetchAt("#main:inner")).rejects.toMatchObject({ code: "SOURCE_UNSAFE" });
  });

  it("ignores what lies outside the named folder", async () => {
    await repository.commit("main", { "web/a.txt": "1", link: { mode: "120000", content: "/etc/passwd" } });
    expect(texts((await fetchAt("#main:web")).files)).toEqual({ "a.txt": "1" });
  });

  it("refuses more than 10,000 files", async () => {
    const blob = (await repository.run(["hash-object", "-w", "--stdin"], "x")).toString().trim();
    const rows = Array.from({ length: 10_001 }, (_, index) => `100644 blob ${blob}\tf${index}\0`).join("");
    const tree = (await repository.run(["mktree", "-z"], rows)).toString().trim();
    const commit = await repository.commit("main", { "a.txt": "1" });
    const big = await repository.text(
      "-c",
      "user.name=T",
      "-c",
      "user.email=t@localhost",
      "commit-tree",
      "-m",
      "x",
      "-p",
      commit,
      tree,
    );
    await repository.run(["update-ref", "refs/heads/main", big]);
    await expect(fetchAt("")).rejects.toMatchObject({ code: "SOURCE_TOO_LARGE" });
  });

  it("refuses a tree that multiplies itself", async () => {
    const blob = (await repository.run(["hash-object", "-w", "--stdin"], "x")).toString().trim();
    let row = `100644 blob ${blob}`;
    for (let level = 0; level < 10; level++) {
      const rows = Array.from({ length: 10 }, (_, index) => `${row}\tf${index}\0`).join("");
      row = `040000 tree ${(await repository.run(["mktree", "-z"], rows)).toString().trim()}`;
    }
    const identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
    const bomb = await repository.text(...identity, "commit-tree", "-m", "x", row.split(" ")[2] ?? "");
    await repository.run(["update-ref", "refs/heads/main", bomb]);
    await expect(fetchAt("")).rejects.toMatchObject({ code: "SOURCE_TOO_LARGE" });
  });

  it("refuses more than 200 MiB unpacked, however small it is packed", async () => {
    await repository.commit("main", { zeros: new Uint8Array(201 * 1024 * 1024) });
    await expect(fetchAt("")).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
      message: expect.stringMatching(/uncompressed/),
    });
  });

  it("refuses more than 50 MiB packed", async () => {
    await repository.commit("main", { noise: randomBytes(51 * 1024 * 1024), "web/a.txt": "1" });
    await expect(fetchAt("")).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
      message: expect.stringMatching(/compressed/),
    });
    // only the named folder is brought, so the rest of the repository does not count
    expect(texts((await fetchAt("#main:web")).files)).toEqual({ "a.txt": "1" });
  });

  it("reports a missing ref or folder without local paths", async () => {
    const missing = sourceRef("git+file:///nowhere/at/all.git");
    for (const attempt of [
      resolveSource(missing, policy, options),
      resolve("#main"),
      resolve(""),
      resolve(`#${"1".repeat(40)}`),
    ]) {
      await expect(attempt).rejects.toMatchObject({
        code: "SOURCE_UNAVAILABLE",
        message: expect.not.stringMatching(/tmp|nowhere/),
      });
    }
    await repository.commit("main", { "a.txt": "1" });
    await expect(fetchAt("#main:nowhere")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    await expect(fetchAt("#main:a.txt")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    await expect(resolve("#mai")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  });

  it("follows no link out of the allowed roots", async () => {
    await repository.commit("main", { "a.txt": "1" });
    const other = await BareRepository.create();
    try {
      await symlink(repository.folder, join(other.root, "link.git"));
      const rootedPolicy = { ...policy, fileRoots: [other.root] };
      const link = sourceRef(`git+file://${other.root}/link.git`);
      await expect(resolveSource(link, rootedPolicy, options)).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
      const hidden = sourceRef(`git+file://${other.root}/link`);
      await expect(resolveSource(hidden, rootedPolicy, options)).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    } finally {
      await other.remove();
    }
  });

  it("gives up in time, stops on abort with the caller's reason, and leaves no folder behind", async () => {
    await repository.commit("main", { "a.txt": "1" });
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.includes(`-${process.pid}-`)).length;
    const before = await folders();
    const silentHost = createServer().listen(0, "127.0.0.1");
    await once(silentHost, "listening");
    const { port } = silentHost.address() as AddressInfo;
    const late = resolveSource(sourceRef(`git+http://127.0.0.1:${port}/a.git`), policy, { timeoutMs: 300 });
    await expect(late).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE", message: expect.stringMatching(/in time/) });
    silentHost.close();
    const reason = new Error("cancelled");
    const cancelledRead = resolveSource(refTo(""), policy, { ...options, signal: AbortSignal.abort(reason) });
    await expect(cancelledRead).rejects.toBe(reason);
    expect(await folders()).toBe(before);
  });
});
