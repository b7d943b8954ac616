import { existsSync } from "node:fs";
import { mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeRepositoryStore } from "../repository-conformance.fixture.js";
import { aPlace, pushTexts, RepositoryStores } from "../repository-stores.fixture.js";
import { FolderTidying } from "./folder-tidying.js";

let stores: RepositoryStores;

beforeAll(async () => {
  stores = await RepositoryStores.open();
});
afterAll(() => stores.close());

describe("a repository store in a folder", () => {
  describeRepositoryStore(async (limits) => stores.inFolder(limits));

  it("loses what dead processes have left, after a while", async () => {
    const place = aPlace();
    const store = stores.inFolder();
    await pushTexts(store, place, "main", { "a.txt": "1" });
    const [root = ""] = store.roots;
    const leftFolders = [join(root, ".pushes", "push-dead"), join(root, ".new-dead")];
    for (const folder of leftFolders) await mkdir(folder, { recursive: true });
    const tidying = new FolderTidying(root);
    await tidying.tidy(Date.now());
    expect(leftFolders.map(existsSync)).toEqual([true, true]);
    await tidying.tidy(Date.now() + 3_600_000);
    expect(leftFolders.map(existsSync)).toEqual([false, false]);
    expect(existsSync((await store.find(place)) ?? "")).toBe(true);
  });

  it("forgets locks that a killed process left behind, but not those of a running one", async () => {
    const place = aPlace();
    const store = stores.inFolder();
    await pushTexts(store, place, "main", { "a.txt": "1" });
    const folder = (await store.find(place)) ?? "";
    const lock = join(folder, "refs/heads/main.lock");
    await writeFile(lock, "");
    await expect(pushTexts(store, place, "main", { "a.txt": "2" })).rejects.toThrow();
    expect(await readFile(lock, "utf8")).toBe("");
    await utimes(lock, new Date(0), new Date(0));
    await pushTexts(store, place, "main", { "a.txt": "2" });
    await expect(stat(lock)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
