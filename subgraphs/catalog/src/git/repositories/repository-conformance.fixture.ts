import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { git } from "../git/git.js";
import type { RepositoryLimits } from "./port/repository-limits.js";
import type { RepositoryStore } from "./port/repository-store.js";
import { aPlace, pushTexts } from "./repository-stores.fixture.js";

/** Opens the store as another platform process does. */
type OpenProcess = (limits?: RepositoryLimits) => Promise<RepositoryStore>;

const mebibyte = 1024 ** 2;

/** The port's promises that every driver keeps, seen from two processes on one platform. */
export function describeRepositoryStore(openProcess: OpenProcess): void {
  let here: RepositoryStore;
  let there: RepositoryStore;

  beforeEach(async () => {
    [here, there] = [await openProcess(), await openProcess()];
  });

  const inFolder = async (store: RepositoryStore, place: ReturnType<typeof aPlace>, ...args: string[]) => {
    const folder = await store.find(place);
    if (folder === undefined) throw new Error("The repository does not exist");
    return (await git(args, { cwd: folder })).toString("utf8").trim();
  };

  it("makes a repository with its first push, and every process serves it", async () => {
    const place = aPlace();
    expect(await here.find(place)).toBeUndefined();
    const { commitSha } = await pushTexts(here, place, "trunk", { "README.md": "hello" });
    for (const store of [here, there]) {
      expect(await inFolder(store, place, "rev-parse", "HEAD", "refs/heads/trunk")).toBe(`${commitSha}\n${commitSha}`);
      expect(await inFolder(store, place, "symbolic-ref", "HEAD")).toBe("refs/heads/trunk");
      expect(await inFolder(store, place, "show", "HEAD:README.md")).toBe("hello");
      await inFolder(store, place, "fsck", "--strict");
    }
  });

  it("keeps HEAD once it names a commit", async () => {
    const place = aPlace();
    await pushTexts(here, place, "first", { "a.txt": "1" });
    await pushTexts(there, place, "second", { "b.txt": "1" });
    expect(await inFolder(here, place, "symbolic-ref", "HEAD")).toBe("refs/heads/first");
    expect(await inFolder(here, place, "for-each-ref", "--format=%(refname)")).toBe(
      "refs/heads/first\nrefs/heads/second",
    );
  });

  it("has all commits of pushes that alternate between processes, in one line", async () => {
    const place = aPlace();
    const pushedCommits: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const store = turn % 2 === 0 ? here : there;
      pushedCommits.unshift((await pushTexts(store, place, "main", { [`${turn}.txt`]: `${turn}` })).commitSha);
      const reader = turn % 2 === 0 ? there : here;
      expect(await inFolder(reader, place, "rev-parse", "main")).toBe(pushedCommits[0]);
    }
    for (const store of [here, there, await openProcess()])
      expect((await inFolder(store, place, "rev-list", "main")).split("\n")).toEqual(pushedCommits);
  });

  it("loses no push of two processes to the same branch at once", async () => {
    const place = aPlace();
    const turns = [here, there, here, there];
    const pushedCommits = await Promise.all(
      turns.map((store, turn) => pushTexts(store, place, "main", { [`${turn}.txt`]: `${turn}` })),
    );
    const history = (await inFolder(here, place, "rev-list", "main")).split("\n");
    expect(history.toSorted()).toEqual(pushedCommits.map(({ commitSha }) => commitSha).toSorted());
    const files = (await inFolder(there, place, "ls-tree", "--name-only", "main")).split("\n");
    expect(files).toEqual(["0.txt", "1.txt", "2.txt", "3.txt"]);
  });

  it("keeps first pushes to several branches at once", async () => {
    const place = aPlace();
    await Promise.all(
      [here, there, here, there].map((store, turn) => pushTexts(store, place, `b${turn}`, { "a.txt": `${turn}` })),
    );
    expect(await inFolder(here, place, "for-each-ref", "--format=%(refname:short)")).toBe("b0\nb1\nb2\nb3");
    expect(await inFolder(there, place, "rev-parse", "HEAD")).toMatch(/^[0-9a-f]{40}$/);
  });

  it("keeps nothing of a push that is not published", async () => {
    const place = aPlace();
    const { commitSha } = await pushTexts(here, place, "main", { "a.txt": "1" });
    const openRepository = await here.open(place, "main");
    const source = (await there.find(place)) ?? "";
    const file = { env: { GIT_ALLOW_PROTOCOL: "file" }, cwd: source };
    await git(["push", "--quiet", openRepository.url, `${commitSha}:refs/heads/other`], file);
    await openRepository.close();
    await expect(readFile(join(new URL(openRepository.url).pathname, "HEAD"))).rejects.toMatchObject({
      code: "ENOENT",
    });
    for (const store of [here, there])
      expect(await inFolder(store, place, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  it("publishes nothing over a branch that has moved, and sees the newest state after a refresh", async () => {
    const place = aPlace();
    const { commitSha: first } = await pushTexts(here, place, "main", { "a.txt": "1" });
    const openRepository = await here.open(place, "main");
    try {
      const { commitSha: second } = await pushTexts(there, place, "main", { "b.txt": "1" });
      expect(await openRepository.publish({ ref: "refs/heads/main", expected: first, commit: first })).toBe(false);
      expect(await openRepository.publish({ ref: "refs/heads/main", expected: null, commit: first })).toBe(false);
      expect(await inFolder(there, place, "rev-parse", "main")).toBe(second);
      await openRepository.refresh();
      const seenCommit = await git(["rev-parse", "main"], { cwd: new URL(openRepository.url).pathname });
      expect(seenCommit.toString().trim()).toBe(second);
    } finally {
      await openRepository.close();
    }
  });

  it("separates tenants, owners and names", async () => {
    const place = aPlace();
    await pushTexts(here, place, "main", { "a.txt": "1" });
    const others = [{ tenantId: newId("ten") }, { owner: "other" }, { name: "other" }, { name: "ORDERS" }];
    for (const other of others) expect(await there.find({ ...place, ...other })).toBeUndefined();
  });

  it.each(["..", ".", "", "a/b", "-x", "x.git", "con", ".hidden", "a\0b", "x".repeat(101)])(
    "refuses the name %j",
    async (name) => {
      for (const place of [aPlace({ name }), aPlace({ owner: name }), aPlace({ tenantId: name })]) {
        await expect(here.open(place, "main")).rejects.toThrow("not validated");
        expect(await here.find(place)).toBeUndefined();
      }
    },
  );

  it("lets no caller name its folders", async () => {
    const place = aPlace();
    await pushTexts(here, place, "main", { "a.txt": "1" });
    const folder = (await here.find(place)) ?? "";
    expect(here.roots.some((root) => folder.startsWith(`${root}/`))).toBe(true);
    const openRepository = await here.open(place, "main");
    expect(here.roots.some((root) => new URL(openRepository.url).pathname.startsWith(`${root}/`))).toBe(true);
    await openRepository.close();
  });

  it("keeps a push of several mebibytes", async () => {
    const place = aPlace();
    const large = randomBytes(3 * mebibyte + 17);
    await pushTexts(here, place, "main", { "large.bin": large });
    const folder = (await there.find(place)) ?? "";
    const readContent = await git(["show", "main:large.bin"], { cwd: folder });
    expect(readContent.equals(large)).toBe(true);
  });

  it("refuses a push over the limit of the repository, and takes a smaller one afterwards", async () => {
    const place = aPlace();
    const limitedProcess = await openProcess({ repositoryBytes: mebibyte, tenantBytes: 1024 * mebibyte });
    const { commitSha } = await pushTexts(limitedProcess, place, "main", { "a.txt": "1" });
    const large = pushTexts(limitedProcess, place, "main", { "large.bin": randomBytes(mebibyte) });
    await expect(large).rejects.toMatchObject({ code: "TARGET_FULL" });
    expect(await inFolder(there, place, "rev-parse", "main")).toBe(commitSha);
    await pushTexts(limitedProcess, place, "main", { "b.txt": "1" });
    expect(await inFolder(there, place, "rev-list", "--count", "main")).toBe("2");
  });

  it("refuses a push over the limit of the tenant, whose other repositories count", async () => {
    const place = aPlace();
    const limitedProcess = await openProcess({ repositoryBytes: 1024 * mebibyte, tenantBytes: mebibyte });
    await pushTexts(limitedProcess, place, "main", { "large.bin": randomBytes(mebibyte * 0.7) });
    const second = () =>
      pushTexts(limitedProcess, { ...place, name: "second" }, "main", { "large.bin": randomBytes(mebibyte * 0.7) });
    await expect(second()).rejects.toMatchObject({ code: "TARGET_FULL" });
    await pushTexts(limitedProcess, aPlace(), "main", { "large.bin": randomBytes(mebibyte * 0.7) });
  });
}
