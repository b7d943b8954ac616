import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../../git/git.js";
import type { DatabaseStore } from "../in-database/database-store.js";
import { FolderStore } from "../in-folder/folder-store.js";
import type { RepositoryPlace } from "../port/repository-store.js";
import { aPlace, pushTexts, quietLogger, RepositoryStores } from "../repository-stores.fixture.js";
import { storeFormerRepository } from "./store-former-repository.js";
import { takeOverFolder } from "./take-over.js";

let stores: RepositoryStores;

beforeAll(async () => {
  stores = await RepositoryStores.open();
});
afterAll(() => stores.close());

const limits = { repositoryBytes: 1024 ** 3, tenantBytes: 1024 ** 3 };

/** A repository folder as the former release left it. Each repository has a file with this text. */
async function aFormerFolder(places: readonly RepositoryPlace[], text = "1") {
  const folder = join(await mkdtemp(join(stores.root, "process-")), "repositories");
  const former = new FolderStore({ database: stores.database, folder, limits, logger: quietLogger });
  for (const place of places) {
    await pushTexts(former, place, "trunk", { "a.txt": text });
    await pushTexts(former, place, "next/one", { "b.txt": text });
    const cwd = (await former.find(place)) ?? "";
    const tag = ["-c", "user.name=x", "-c", "user.email=x@localhost", "tag", "-a", "-m", "first", "v1", "trunk"];
    await git(tag, { cwd });
  }
  return { folder, former };
}

const take = (folder: string, store: DatabaseStore) =>
  takeOverFolder(
    folder,
    (place, from) => storeFormerRepository(store, place, { folder: from, logger: quietLogger }),
    quietLogger,
  );

const contentOf = async (folder: string | undefined) => {
  const cwd = folder ?? "";
  await git(["fsck", "--strict"], { cwd });
  const [refs, head] = [await git(["show-ref", "-d"], { cwd }), await git(["symbolic-ref", "HEAD"], { cwd })];
  return String(head) + String(refs);
};

describe("the repositories of a former folder", () => {
  it("are taken over with all refs, and the folder stays under another name", async () => {
    const places = [aPlace(), aPlace({ name: "second" })];
    const { folder, former } = await aFormerFolder(places);
    const before = await Promise.all(places.map(async (place) => contentOf(await former.find(place))));
    expect(before[0]).toMatch(/refs\/tags\/v1\^\{\}/);
    await take(folder, await stores.inDatabase());
    expect([existsSync(folder), existsSync(`${folder}-moved`)]).toEqual([false, true]);
    const reader = await stores.inDatabase();
    expect(await Promise.all(places.map(async (place) => contentOf(await reader.find(place))))).toEqual(before);
    await pushTexts(reader, aPlace(places[0]), "trunk", { "c.txt": "1" });
    await take(folder, reader);
  });

  it("are taken over from where a killed start has stopped, and one that cannot be read is kept", async () => {
    const places = [aPlace(), aPlace({ name: "second" })];
    const { folder, former } = await aFormerFolder(places);
    const store = await stores.inDatabase();
    let count = 0;
    const killedStart = takeOverFolder(
      folder,
      async (place, from) => {
        count += 1;
        if (count === 2) throw new Error("killed");
        await storeFormerRepository(store, place, { folder: from, logger: quietLogger });
      },
      quietLogger,
    );
    await killedStart;
    expect(existsSync(folder)).toBe(true);
    const brokenFolder = (await former.find(places[1] ?? aPlace())) ?? "";
    await rm(join(brokenFolder, "objects"), { recursive: true });
    await writeFile(join(brokenFolder, "HEAD"), "nonsense");
    await take(folder, store);
    expect(existsSync(folder)).toBe(true);
    await rm(brokenFolder, { recursive: true });
    await take(folder, store);
    expect([existsSync(folder), existsSync(`${folder}-moved`)]).toEqual([false, true]);
    expect((await store.state(places[0] ?? aPlace())).refs).toHaveLength(3);
  });

  it("of two processes with the same name keep the commits of both", async () => {
    const place = aPlace();
    const [firstFolder, secondFolder] = [await aFormerFolder([place], "one"), await aFormerFolder([place], "other")];
    const theirs = (await git(["rev-parse", "trunk"], { cwd: (await secondFolder.former.find(place)) ?? "" }))
      .toString()
      .trim();
    await take(firstFolder.folder, await stores.inDatabase());
    await take(secondFolder.folder, await stores.inDatabase());
    const reader = await stores.inDatabase();
    const cwd = (await reader.find(place)) ?? "";
    const refs = (await git(["for-each-ref", "--format=%(refname) %(objectname)"], { cwd })).toString("utf8");
    expect(refs).toContain(`refs/heads/recovered/trunk-${theirs.slice(0, 12)} ${theirs}`);
    expect((await git(["show", "trunk:a.txt"], { cwd })).toString()).toBe("one");
    await git(["fsck", "--strict"], { cwd });
  });
});
