import { randomBytes } from "node:crypto";
import { readdir, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../../git/git.js";
import { describeRepositoryStore } from "../repository-conformance.fixture.js";
import { aPlace, pushTexts, RepositoryStores } from "../repository-stores.fixture.js";

let stores: RepositoryStores;

beforeAll(async () => {
  stores = await RepositoryStores.open();
});
afterAll(() => stores.close());

const historyIn = async (folder: string | undefined) =>
  (await git(["rev-list", "main"], { cwd: folder ?? "" })).toString("utf8").trim().split("\n");

describe("a repository store in the database", () => {
  describeRepositoryStore((limits) => stores.inDatabase(limits));

  it("loses nothing with its folders", async () => {
    const place = aPlace();
    const store = await stores.inDatabase();
    await pushTexts(store, place, "main", { "a.bin": randomBytes(2 * 1024 ** 2) });
    await pushTexts(store, place, "main", { "b.txt": "1" });
    await rm(store.cache.root, { recursive: true });
    expect(await historyIn(await store.find(place))).toHaveLength(2);
    await rm(store.cache.root, { recursive: true });
    await pushTexts(store, place, "main", { "c.txt": "1" });
    const folder = await store.find(place);
    expect(await historyIn(folder)).toHaveLength(3);
    await git(["fsck", "--strict"], { cwd: folder ?? "" });
  });

  it("downloads a pack again that a power failure has cut", async () => {
    const place = aPlace();
    const store = await stores.inDatabase();
    await pushTexts(store, place, "main", { "a.txt": "1" });
    const objects = join((await store.find(place)) ?? "", "..", "objects", "pack");
    for (const name of await readdir(objects)) await truncate(join(objects, name), 0);
    await pushTexts(store, place, "main", { "b.txt": "1" });
    const folder = await store.find(place);
    await git(["fsck", "--strict"], { cwd: folder ?? "" });
    expect(await historyIn(folder)).toHaveLength(2);
  });
});
