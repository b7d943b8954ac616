import { readFile, writeFile } from "node:fs/promises";
import { BareRepository } from "../../git/git/bare-repository.fixture.js";
import type { RemoteCredential } from "../../git/git/remote-credential.js";
import type { SourcePolicy } from "../../git/git/remote-policy.js";
import { PackageServer } from "./packages/package-server.fixture.js";
import { nupkgOf } from "./packages/zip.fixture.js";
import { type ReadSource, SourceCache, sourceCacheKey } from "./source-cache.js";
import { SourceReader } from "./source-reader.js";

const policy: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
const login = (password: string): RemoteCredential => ({ kind: "login", username: "robot", password });

describe("the source cache", () => {
  const source = (bytes: number): ReadSource => ({
    files: new Map([["a", { bytes: new Uint8Array(bytes), executable: false }]]),
    contentDigest: "sha256:0",
    resolvedRef: "ref",
  });
  const cachedKeys = (cache: SourceCache, keys: string[]) => keys.filter((key) => cache.get(key) !== undefined);

  it("keeps no more bytes than its limit, and drops the least recently used source", () => {
    const cache = new SourceCache({ maxBytes: 5_000, maxEntryBytes: 3_000 });
    cache.put("a", source(1_000));
    cache.put("b", source(1_000));
    cache.put("c", source(1_000));
    expect(cachedKeys(cache, ["a"])).toEqual(["a"]);
    cache.put("d", source(2_000));
    expect(cachedKeys(cache, ["a", "b", "c", "d"])).toEqual(["a", "c", "d"]);
    cache.put("d", source(1_000));
    cache.put("e", source(1_000));
    expect(cachedKeys(cache, ["a", "c", "d", "e"])).toEqual(["c", "d", "e"]);
  });

  it("does not keep large sources, nor an older one in their place", () => {
    const cache = new SourceCache({ maxEntryBytes: 3_000 });
    cache.put("a", source(1_000));
    cache.put("a", source(4_000));
    expect(cachedKeys(cache, ["a"])).toEqual([]);
  });

  it("forgets a source some time after it was put, however often it is read", async () => {
    const cache = new SourceCache({ maxAgeMs: 60 });
    cache.put("a", source(1));
    expect(cachedKeys(cache, ["a"])).toEqual(["a"]);
    for (const _ of [1, 2, 3, 4]) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      cache.get("a");
    }
    expect(cachedKeys(cache, ["a"])).toEqual([]);
  });

  it("keeps a source without files", () => {
    const cache = new SourceCache();
    cache.put("a", { ...source(1), files: new Map() });
    expect(cachedKeys(cache, ["a"])).toEqual(["a"]);
  });

  it("is not changed through the files that it was given or returned", () => {
    const cache = new SourceCache();
    const aSource = source(1);
    cache.put("a", aSource);
    aSource.files.get("a")?.bytes.fill(7);
    cache.get("a")?.files.get("a")?.bytes.fill(8);
    expect(cache.get("a")?.files.get("a")?.bytes).toEqual(new Uint8Array([0]));
  });

  it("tells tenants, references and credentials apart", () => {
    const keys = [
      sourceCacheKey("t1", "ref", undefined),
      sourceCacheKey("t2", "ref", undefined),
      sourceCacheKey("t1", "other", undefined),
      sourceCacheKey("t1", "ref", login("a")),
      sourceCacheKey("t1", "ref", login("b")),
      sourceCacheKey("t1", "ref", { kind: "sshKey", privateKey: "a", knownHosts: "h" }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    const turnedCredential: RemoteCredential = { password: "a", username: "robot", kind: "login" };
    expect(sourceCacheKey("t1", "ref", turnedCredential)).toBe(keys[3]);
    expect(keys.join()).not.toContain("ref");
  });
});

describe("reading sources for a tenant", () => {
  let server: PackageServer;
  let reader: SourceReader;

  beforeEach(async () => {
    server = await PackageServer.start();
    reader = new SourceReader({ policy, nugetFeeds: [], logger: { debug: () => undefined } as never });
  });
  afterEach(async () => {
    await reader.close();
    await server.stop();
  });

  const readSource = (ref: string, tenantId?: string, credential?: RemoteCredential) =>
    reader.read(ref, { timeoutMs: 60_000, ...(tenantId && { tenantId }), ...(credential && { credential }) });

  it("fetches a pinned package once, and a moving one each time", async () => {
    const moving = `nupkg+${server.serve("/x.nupkg", nupkgOf({ "a.txt": "1" }))}`;
    const first = await readSource(moving, "t1");
    expect(await readSource(first.resolvedRef, "t1")).toEqual({
      ...first,
      files: new Map([...first.files].map(([path, file]) => [path, { ...file, bytes: new Uint8Array(file.bytes) }])),
    });
    expect(server.asked).toHaveLength(1);
    await readSource(moving, "t1");
    expect(server.asked).toHaveLength(2);
    server.serve("/x.nupkg", nupkgOf({ "a.txt": "2" }));
    expect((await readSource(moving, "t1")).contentDigest).not.toBe(first.contentDigest);
  });

  it("gives nothing to another tenant, without a tenant, or to another credential", async () => {
    let open = true;
    const bytes = nupkgOf({ "a.txt": "1" });
    server.on("/x.nupkg", (_, response) => (open ? response.end(bytes) : response.writeHead(401).end()));
    const { resolvedRef } = await readSource(`nupkg+${server.url}/x.nupkg`, "t1", login("right"));
    open = false;
    const refusal = { code: "SOURCE_UNAVAILABLE" };
    await expect(readSource(resolvedRef, "t1", login("right"))).resolves.toMatchObject({ resolvedRef });
    await expect(readSource(resolvedRef, "t1")).rejects.toMatchObject(refusal);
    await expect(readSource(resolvedRef, "t1", login("wrong"))).rejects.toMatchObject(refusal);
    await expect(readSource(resolvedRef, "t2", login("right"))).rejects.toMatchObject(refusal);
    await expect(readSource(resolvedRef, undefined, login("right"))).rejects.toMatchObject(refusal);
  });

  it("keeps a git folder by its commit, and resolves a branch each time", async () => {
    const repository = await BareRepository.create();
    const head = async () => readFile(`${repository.folder}/HEAD`, "utf8");
    const savedHead = await head();
    try {
      await repository.commit("main", { "web/a.txt": "1", "app/b.txt": "2" });
      const { resolvedRef } = await readSource(`git+${repository.url}#main:web`, "t1");
      const second = await repository.commit("main", { "web/a.txt": "new" });
      expect((await readSource(`git+${repository.url}#main:web`, "t1")).resolvedRef).toContain(second);
      // no repository any more
      await writeFile(`${repository.folder}/HEAD`, "gone");
      expect([...(await readSource(resolvedRef, "t1")).files.keys()]).toEqual(["a.txt"]);
      for (const other of [resolvedRef.replace(":web", ":app"), `git+${repository.url}#main:web`])
        await expect(readSource(other, "t1")).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    } finally {
      await writeFile(`${repository.folder}/HEAD`, savedHead);
      await repository.remove();
    }
  });
});
