import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { aPlace, pushTexts, quietLogger, RepositoryStores } from "../repository-stores.fixture.js";
import { CacheTidying } from "./cache-tidying.js";

let stores: RepositoryStores;

beforeAll(async () => {
  stores = await RepositoryStores.open();
});
afterAll(() => stores.close());

const later = () => Date.now() + 3_600_000;

describe("the cache of repositories", () => {
  const aUsedCache = async () => {
    const store = await stores.inDatabase();
    const place = aPlace();
    await pushTexts(store, place, "main", { "a.txt": "1" });
    return { store, place, view: (await store.find(place)) ?? "", root: store.cache.root };
  };

  it("loses what was not used for a while and is over the limit, and is filled again", async () => {
    const { store, place, view, root } = await aUsedCache();
    await new CacheTidying(root, 0, quietLogger).tidy(Date.now());
    expect(existsSync(view)).toBe(true);
    await new CacheTidying(root, 1024 ** 2, quietLogger).tidy(later());
    expect(existsSync(dirname(view))).toBe(true);
    await new CacheTidying(root, 0, quietLogger).tidy(later());
    expect(existsSync(dirname(view))).toBe(false);
    expect((await readdir(root)).filter((name) => name.startsWith("evicted-"))).toEqual([]);
    expect(await store.find(place)).toBe(view);
    expect(existsSync(view)).toBe(true);
  });

  it("loses views at a start, and what dead processes have left", async () => {
    const { store, place, view, root } = await aUsedCache();
    const leftFolder = join(root, "pushes", "push-dead");
    await mkdir(leftFolder);
    const tidying = new CacheTidying(root, 1024 ** 3, quietLogger);
    await tidying.dropViews();
    expect(existsSync(view)).toBe(false);
    expect(await store.find(place)).toBe(view);
    await tidying.tidy(Date.now());
    expect(existsSync(leftFolder)).toBe(true);
    await tidying.tidy(later());
    expect([existsSync(leftFolder), existsSync(view)]).toEqual([false, false]);
  });

  it("may be missing", async () => {
    const tidying = new CacheTidying(join(stores.root, "nowhere"), 0, quietLogger);
    await tidying.dropViews();
    await tidying.tidy(later());
    expect(existsSync(join(stores.root, "nowhere"))).toBe(false);
  });
});
