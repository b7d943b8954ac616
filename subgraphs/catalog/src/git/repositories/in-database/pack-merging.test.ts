import { randomBytes } from "node:crypto";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { git } from "../../git/git.js";
import { aPlace, pushTexts, RepositoryStores } from "../repository-stores.fixture.js";
import { PackMerging, smallPacks } from "./pack-merging.js";
import { readRepositoryState } from "./repository-state.js";

let stores: RepositoryStores;

beforeAll(async () => {
  stores = await RepositoryStores.open();
});
afterAll(() => stores.close());

const bytes = (sizes: readonly number[]) =>
  smallPacks(sizes.map((size) => ({ bytes: size }))).map((pack) => pack.bytes);

describe("the packs that are merged", () => {
  it("are the small ones, and a large one only when the small ones together reach half of it", () => {
    expect(bytes([1000, 2, 1, 1])).toEqual([1, 1, 2]);
    expect(bytes([10, 5, 5])).toEqual([5, 5, 10]);
    expect(bytes([1, 3, 9, 27])).toEqual([]);
    expect(bytes([])).toEqual([]);
  });
});

describe("a merge of packs", () => {
  const aCrowdedPlace = async () => {
    const place = aPlace();
    const store = await stores.inDatabase();
    await pushTexts(store, place, "main", { "large.bin": randomBytes(1024 ** 2) });
    for (let turn = 0; turn < 5; turn += 1) await pushTexts(store, place, "main", { [`${turn}.txt`]: `${turn}` });
    return { place, store };
  };
  const stateOf = (place: ReturnType<typeof aPlace>) =>
    readRepositoryState(stores.database.reader, tenantWithId(place.tenantId), place);
  const merge = async (place: ReturnType<typeof aPlace>) => {
    const { cache } = await stores.inDatabase();
    const repositoryId = encodeId("rep", (await stateOf(place)).repositoryId ?? "");
    const order = { tenantId: place.tenantId, repositoryId };
    await new PackMerging(stores.database, cache).merge(order, AbortSignal.timeout(60_000));
  };
  const logOf = async (folder: string | undefined) =>
    (await git(["log", "--stat", "main"], { cwd: folder ?? "" })).toString("utf8");

  it("keeps every object and leaves few packs, for readers with and without the old ones", async () => {
    const { place, store } = await aCrowdedPlace();
    const log = await logOf(await store.find(place));
    const before = await stateOf(place);
    expect(before.packs).toHaveLength(6);
    await merge(place);
    const after = await stateOf(place);
    expect(after.packs).toHaveLength(2);
    expect(after.bytes).toBe(after.packs.reduce((sum, pack) => sum + pack.bytes, 0));
    expect(after.version).toBe(before.version);
    for (const reader of [store, await stores.inDatabase()]) {
      const folder = await reader.find(place);
      expect(await logOf(folder)).toBe(log);
      await git(["fsck", "--strict"], { cwd: folder ?? "" });
    }
    await pushTexts(store, place, "main", { "after.txt": "1" });
    expect(await logOf(await (await stores.inDatabase()).find(place))).toContain(log);
  });

  it("happens once when two processes begin it, and beside pushes", async () => {
    const { place, store } = await aCrowdedPlace();
    const [, ...merges] = await Promise.allSettled([
      pushTexts(store, place, "main", { "beside.txt": "1" }),
      merge(place),
      merge(place),
    ]);
    expect(merges.some(({ status }) => status === "fulfilled")).toBe(true);
    const state = await stateOf(place);
    expect(state.bytes).toBe(state.packs.reduce((sum, pack) => sum + pack.bytes, 0));
    const folder = await (await stores.inDatabase()).find(place);
    await git(["fsck", "--strict"], { cwd: folder ?? "" });
    expect((await git(["rev-list", "--count", "main"], { cwd: folder ?? "" })).toString().trim()).toBe("7");
  });
});
