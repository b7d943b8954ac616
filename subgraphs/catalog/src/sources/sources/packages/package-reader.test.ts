import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BareRepository } from "../../../git/git/bare-repository.fixture.js";
import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { type PackageSourceRef, parseSourceRef } from "../references/source-ref.js";
import { fetchSource } from "../repositories/fetch-source.js";
import { resolveSource } from "../repositories/resolve-source.js";
import { PackageReader } from "./package-reader.js";
import { PackageServer } from "./package-server.fixture.js";
import { nupkgOf, type ZipEntry, zipOf } from "./zip.fixture.js";

const open: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
const closedPolicy: SourcePolicy = { ...open, allowFile: false, allowLoopback: false };
const options = { timeoutMs: 60_000 };
const config = ".template.config/template.json";

const closers: (() => unknown)[] = [];
let server: PackageServer;

beforeEach(async () => {
  server = await PackageServer.start();
  closers.push(() => server.stop());
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function aReader(policy: SourcePolicy = open, feeds: readonly string[] = []): PackageReader {
  const reader = new PackageReader(policy, feeds);
  closers.push(() => reader.close());
  return reader;
}

function packageRef(text: string): PackageSourceRef {
  const parseResult = parseSourceRef(text);
  if (!("ref" in parseResult) || parseResult.ref.kind !== "package") throw new Error(`unreadable: ${text}`);
  return parseResult.ref;
}

const readRef = (text: string, reader = aReader()) => reader.read(packageRef(text), options);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const servedRef = (bytes: Uint8Array, fragment = "") => `nupkg+${server.serve("/x.nupkg", bytes)}${fragment}`;
const paths = ({ files }: { files: ReadonlyMap<string, unknown> }) => [...files.keys()].toSorted();

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "package-reader-"));
  closers.push(() => rm(folder, { recursive: true }));
  return folder;
}

describe("a package source", () => {
  it("is pinned by its sha256, and read again by the pinned reference", async () => {
    const bytes = nupkgOf({ [config]: "{}", "a.txt": "1" });
    const url = server.serve("/x.nupkg", bytes);
    const { resolvedRef } = await aReader().resolve(packageRef(`nupkg+${url}#content`), options);
    expect(resolvedRef).toBe(`nupkg+${url}#sha256=${sha256(bytes)}:content`);
    const source = await readRef(resolvedRef);
    expect([source.resolvedRef, paths(source)]).toEqual([resolvedRef, [config, "a.txt"]]);
  });

  it("pins while it is read for the first time, with one download", async () => {
    const bytes = nupkgOf({ "a.txt": "1" });
    const source = await readRef(servedRef(bytes));
    expect(source.resolvedRef).toBe(`nupkg+${server.url}/x.nupkg#sha256=${sha256(bytes)}`);
    expect(server.asked).toEqual(["/x.nupkg"]);
  });

  it("has the digest of a git folder with the same content", async () => {
    const repository = await BareRepository.create();
    closers.push(() => repository.remove());
    const binary = randomBytes(2_000);
    await repository.commit("main", {
      "web/b/\u00fc.bin": binary,
      "web/a.txt": "text\r\n",
      "web/run.sh": { mode: "100755", content: "#!/bin/sh\n" },
      [`web/${config}`]: "{}",
    });
    const parseResult = parseSourceRef(`git+${repository.url}#main:web`);
    if (!("ref" in parseResult) || parseResult.ref.kind !== "git") throw new Error("unreadable");
    const pinnedRef = parseSourceRef((await resolveSource(parseResult.ref, open, options)).resolvedRef);
    if (!("ref" in pinnedRef) || pinnedRef.ref.kind !== "git") throw new Error("unreadable");
    const git = await fetchSource(pinnedRef.ref, open, options);
    const zip = zipOf([
      { name: "content/run.sh", content: "#!/bin/sh\n", mode: 0o100744 },
      { name: "content/b/\u00fc.bin", content: binary, stored: true },
      { name: "content/a.txt", content: "text\r\n", mode: 0 },
      { name: `content/${config}`, content: "{}" },
      { name: "X.nuspec", content: "<package/>" },
    ]);
    const source = await readRef(servedRef(zip));
    expect(source.contentDigest).toBe(git.contentDigest);
    const plain = (files: typeof source.files) =>
      [...files].map(([path, { bytes, executable }]) => [path, Buffer.from(bytes).toString("hex"), executable]);
    expect(plain(source.files)).toEqual(expect.arrayContaining(plain(git.files)));
  });

  it.each<[string, Buffer, string, string[]]>([
    ["content/ of a template pack", nupkgOf({ [config]: "{}", "a.txt": "1" }), "", [config, "a.txt"]],
    ["content/ around a folder", nupkgOf({ [`web/${config}`]: "{}" }), "", [`web/${config}`]],
    ["a named folder", nupkgOf({ [`web/${config}`]: "{}", "other/x": "1" }), "#content/web", [config]],
    ["all but the metadata otherwise", nupkgOf({ [config]: "{}" }, "templates/"), "", [`templates/${config}`]],
    [
      "content/ as a folder where templates lie elsewhere too",
      zipOf({ [`content/${config}`]: "{}", [`more/${config}`]: "{}" }),
      "",
      [`content/${config}`, `more/${config}`],
    ],
    [
      "a plain zip as it is",
      zipOf({ [config]: "{}", "package/a": "1", "sub/x.nuspec": "2" }),
      "",
      [config, "package/a", "sub/x.nuspec"],
    ],
  ])("gives %s", async (_, bytes, fragment, expectedPaths) => {
    expect(paths(await readRef(servedRef(bytes, fragment)))).toEqual(expectedPaths);
  });

  it("is unavailable when the named folder is none", async () => {
    for (const fragment of ["#nowhere", "#content/a.txt", "#_rels"]) {
      await expect(readRef(servedRef(nupkgOf({ "a.txt": "1" }), fragment))).rejects.toMatchObject({
        code: "SOURCE_UNAVAILABLE",
        message: expect.stringMatching(/no folder/),
      });
    }
  });

  it("is unsafe when its bytes are not the pinned ones", async () => {
    const pinnedFragment = `#sha256=${"0".repeat(64)}`;
    for (const attempt of [
      readRef(servedRef(nupkgOf({ "a.txt": "1" }), pinnedFragment)),
      aReader().resolve(packageRef(servedRef(nupkgOf({ "a.txt": "1" }), pinnedFragment)), options),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: "SOURCE_UNSAFE", message: expect.stringMatching(/sha256/) });
    }
  });
});

describe("a package that is too large", () => {
  const tooLarge = (bytes: Buffer, message: RegExp, fragment = "") =>
    expect(readRef(servedRef(bytes, fragment))).rejects.toMatchObject({
      code: "SOURCE_TOO_LARGE",
      message: expect.stringMatching(message),
    });

  it("is refused at more than 50 MiB packed, cut while it comes", async () => {
    let sentCount = 0;
    server.on("/endless", (_, response) => {
      response.on("error", () => undefined);
      const more = (): void => {
        while (!response.destroyed && sentCount < 500 * 1024 * 1024) {
          sentCount += 1024 * 1024;
          if (!response.write(Buffer.alloc(1024 * 1024))) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    await expect(readRef(`nupkg+${server.url}/endless`)).rejects.toMatchObject({ code: "SOURCE_TOO_LARGE" });
    expect(sentCount).toBeLessThan(100 * 1024 * 1024);
  });

  it("is refused at more than 50 MiB in a file", async () => {
    const file = join(await aFolder(), "big.nupkg");
    await writeFile(file, Buffer.alloc(50 * 1024 * 1024 + 1));
    await expect(readRef(`nupkg+${pathToFileURL(file).href}`)).rejects.toMatchObject({ code: "SOURCE_TOO_LARGE" });
  });

  it("is refused at more than 200 MiB unpacked", async () => {
    const noise = randomBytes(3 * 1024 * 1024);
    const claims = { content: noise, stored: true, size: 201 * 1024 * 1024 };
    await tooLarge(zipOf([{ name: "a", ...claims }]), /200 MiB/);
    const large = 0xffff_fff0;
    await tooLarge(
      zipOf([
        { name: "a", size: large },
        { name: "b", size: large },
      ]),
      /200 MiB/,
    );
  });

  it("is refused at more than 100 times its size", async () => {
    await tooLarge(zipOf({ "a.txt": Buffer.alloc(10 * 1024 * 1024) }), /100 times/);
  });

  it("is refused when entries share their packed bytes", async () => {
    const entries: ZipEntry[] = [{ name: "f0", content: randomBytes(20_000) }];
    for (let index = 1; index < 2_000; index += 1) entries.push({ ...entries[0], name: `f${index}`, shares: 0 });
    await tooLarge(zipOf(entries), /100 times/);
  });

  it("is refused at more than 10,000 files, and counts only the named folder", async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `m/f${index}`, content: "x", stored: true }));
    const bytes = zipOf([...many, { name: "web/a.txt", content: "1" }]);
    await tooLarge(bytes, /10000 files/);
    await tooLarge(bytes, /10000 files/, "#m");
    expect(paths(await readRef(servedRef(bytes, "#web")))).toEqual(["a.txt"]);
  });

  it("is read at exactly 10,000 files beside the package's metadata", async () => {
    const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, "x"]));
    expect((await readRef(servedRef(nupkgOf(files), "#content"))).files.size).toBe(10_000);
  });
});

describe("a package over http", () => {
  const bytes = nupkgOf({ [config]: "{}" });

  it("is fetched through at most three redirects", async () => {
    server.serve("/x.nupkg", bytes);
    server.redirect("/3", "/x.nupkg", 307);
    server.redirect("/2", `${server.url}/3`, 308);
    const three = server.redirect("/1", "2", 301);
    const four = server.redirect("/0", "/1", 303);
    expect(paths(await readRef(`nupkg+${three}`))).toEqual([config]);
    await expect(readRef(`nupkg+${four}`)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/3 times/),
    });
  });

  it.each([
    ["to a private address", "https://10.0.0.1/x.nupkg", /not a public address/],
    ["to the metadata address", "http://169.254.169.254/latest", /plain http/],
    ["to plain http", "http://host.example/x.nupkg", /plain http/],
    ["to a file", "file:///etc/passwd", /local repositories/],
    ["to another scheme", "ftp://host.example/x", /scheme/],
    ["with credentials", "https://user:secret@host.example/x", /credentials/],
    ["to nowhere", "http://[", /without a valid address/],
  ])("follows no redirect %s", async (_, location, message) => {
    const url = server.redirect("/go", location);
    const reader = aReader({ ...open, allowFile: false });
    await expect(readRef(`nupkg+${url}`, reader)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(message),
    });
  });

  it("does not leave an allowed host for this machine", async () => {
    const policy = { ...closedPolicy, allowHosts: [new URL(server.url).host] };
    server.serve("/x.nupkg", bytes);
    expect(paths(await readRef(`nupkg+${server.url}/x.nupkg`, aReader(policy)))).toEqual([config]);
    const other = await PackageServer.start();
    closers.push(() => other.stop());
    const url = server.redirect("/go", other.serve("/x.nupkg", bytes));
    await expect(readRef(`nupkg+${url}`, aReader(policy))).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    expect(other.asked).toEqual([]);
  });

  it("reaches neither this machine nor names that lead to it in production", async () => {
    const port = new URL(server.url).port;
    for (const url of [`http://127.0.0.1:${port}/x.nupkg`, `https://localhost:${port}/x.nupkg`]) {
      await expect(readRef(`nupkg+${url}`, aReader(closedPolicy))).rejects.toMatchObject({
        code: "SOURCE_UNAVAILABLE",
        message: expect.stringMatching(/not allowed/),
      });
    }
    expect(server.asked).toEqual([]);
  });

  it.each([
    [404, /no package/],
    [410, /no package/],
    [401, /refused access/],
    [403, /refused access/],
    [500, /status 500/],
    [204, /status 204/],
  ])("is unavailable at status %i", async (status, message) => {
    server.on("/x.nupkg", (_, response) => response.writeHead(status).end());
    const attempt = readRef(`nupkg+${server.url}/x.nupkg`);
    await expect(attempt).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(message),
    });
  });

  it("is unavailable when the server is gone, silent or breaks off", async () => {
    server.on("/silent", () => undefined);
    server.on("/half", (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const reader = aReader();
    const silent = reader.read(packageRef(`nupkg+${server.url}/silent`), { timeoutMs: 100 });
    await expect(silent).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/in time/),
    });
    await expect(readRef(`nupkg+${server.url}/half`)).rejects.toMatchObject({
      message: expect.stringMatching(/ended the connection/),
    });
    const goneServer = await PackageServer.start();
    const url = goneServer.url;
    await goneServer.stop();
    await expect(readRef(`nupkg+${url}/x`)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/reached/),
    });
  });

  it("stops with the caller's reason", async () => {
    server.on("/silent", () => undefined);
    const cut = new AbortController();
    const attempt = aReader().read(packageRef(`nupkg+${server.url}/silent`), { ...options, signal: cut.signal });
    setTimeout(() => cut.abort(new Error("cancelled")), 50);
    await expect(attempt).rejects.toThrow("cancelled");
  });
});

describe("a package in a local folder", () => {
  it("is read, and pinned like any other", async () => {
    const file = join(await aFolder(), "my pack.nupkg");
    const bytes = nupkgOf({ [config]: "{}" });
    await writeFile(file, bytes);
    const source = await readRef(`nupkg+${pathToFileURL(file).href}`);
    expect(source.resolvedRef).toBe(`nupkg+${pathToFileURL(file).href}#sha256=${sha256(bytes)}`);
    expect(paths(source)).toEqual([config]);
  });

  it("is read from allowed folders alone, whatever links say", async () => {
    const [inside, outside] = [await aFolder(), await aFolder()];
    await mkdir(join(inside, "own"));
    for (const folder of [inside, join(inside, "own"), outside])
      await writeFile(join(folder, "x.nupkg"), nupkgOf({ a: "1" }));
    await symlink(join(outside, "x.nupkg"), join(inside, "out.nupkg"));
    await symlink(join(inside, "x.nupkg"), join(inside, "in.nupkg"));
    const policy = { ...open, fileRoots: [inside], blockedFileRoots: [join(inside, "own")] };
    const attempt = (path: string) => readRef(`nupkg+${pathToFileURL(path).href}`, aReader(policy));
    expect(paths(await attempt(join(inside, "x.nupkg")))).toEqual(["content/a"]);
    expect(paths(await attempt(join(inside, "in.nupkg")))).toEqual(["content/a"]);
    for (const path of [join(outside, "x.nupkg"), join(inside, "out.nupkg"), join(inside, "own", "x.nupkg")])
      await expect(attempt(path)).rejects.toMatchObject({
        code: "SOURCE_UNAVAILABLE",
        message: expect.stringMatching(/not allowed/),
      });
    await expect(readRef(`nupkg+${pathToFileURL(inside).href}/x.nupkg`, aReader(closedPolicy))).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
    });
  });

  it("is unavailable, and the error does not tell whether the file exists", async () => {
    const folder = await aFolder();
    for (const path of [join(folder, "none.nupkg"), folder, "/dev/zero", "/dev/tty"])
      await expect(readRef(`nupkg+${pathToFileURL(path).href}`)).rejects.toMatchObject({
        code: "SOURCE_UNAVAILABLE",
        message: expect.not.stringContaining(folder),
      });
  });
});

describe("a package in a NuGet feed", () => {
  const bytes = nupkgOf({ [config]: "{}", "a.txt": "1" });

  it("is found by its lower-case id and normalised version, and pinned", async () => {
    const feed = server.feed("main", { "my.templates/1.2.0-beta.1": bytes });
    const reader = aReader(open, [feed]);
    const source = await readRef("nuget:My.Templates@1.02.0.0-Beta.1+build.5#content", reader);
    const pinnedRef = `nuget:My.Templates@1.02.0.0-Beta.1+build.5#sha256=${sha256(bytes)}:content`;
    expect([source.resolvedRef, paths(source)]).toEqual([pinnedRef, [config, "a.txt"]]);
    expect(await reader.resolve(packageRef("nuget:my.templates@1.2-beta.1"), options)).toEqual({
      resolvedRef: `nuget:my.templates@1.2-beta.1#sha256=${sha256(bytes)}`,
    });
    expect((await readRef(pinnedRef, reader)).contentDigest).toBe(source.contentDigest);
  });

  it("is taken from the first feed that has it", async () => {
    const feeds = [
      server.feed("none", {}),
      server.feed("first", { "x/1.0.0": bytes }),
      server.feed("second", { "x/1.0.0": nupkgOf({ b: "2" }) }),
    ];
    expect(paths(await readRef("nuget:X@1.0.0", aReader(open, feeds)))).toEqual([config, "a.txt"]);
    expect(server.asked.some((path) => path.startsWith("/second"))).toBe(false);
  });

  it("is not taken from a later feed while an earlier one fails, unless it is pinned", async () => {
    const brokenFeed = `${server.url}/broken/index.json`;
    const reader = aReader(open, [brokenFeed, server.feed("main", { "x/1.0.0": bytes })]);
    await expect(readRef("nuget:X@1.0.0", reader)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/service index/),
    });
    expect(paths(await readRef(`nuget:X@1.0.0#sha256=${sha256(bytes)}`, reader))).toEqual([config, "a.txt"]);
    await expect(readRef(`nuget:Y@1.0.0#sha256=${sha256(bytes)}`, reader)).rejects.toMatchObject({
      message: expect.stringMatching(/service index/),
    });
  });

  it("is downloaded through redirects, but the feed itself is not", async () => {
    const feed = server.feed("main", {});
    server.redirect("/main/flat/x/1.0.0/x.1.0.0.nupkg", server.serve("/storage/x", bytes));
    expect(paths(await readRef("nuget:X@1.0.0", aReader(open, [feed])))).toEqual([config, "a.txt"]);
    const movedFeed = server.redirect("/moved", feed);
    await expect(readRef("nuget:X@1.0.0", aReader(open, [movedFeed]))).rejects.toMatchObject({
      message: expect.stringMatching(/final address/),
    });
  });

  it.each([
    ["no JSON", "<html>"],
    ["null", "null"],
    ["no resources", "{}"],
    [
      "no base address",
      JSON.stringify({ resources: [null, 1, { "@type": "SearchQueryService", "@id": "https://x" }] }),
    ],
    [
      "a base address that is none",
      JSON.stringify({ resources: [{ "@type": "PackageBaseAddress/3.0.0", "@id": "/x" }] }),
    ],
    [
      "more than 1 MiB",
      JSON.stringify({ resources: [{ "@type": "PackageBaseAddress/3.0.0", "@id": "http://127.0.0.1:9/" }] }).padEnd(
        1_048_577,
      ),
    ],
  ])("is unavailable when the service index holds %s", async (_, body) => {
    const feed = server.serve("/index.json", body);
    await expect(readRef("nuget:X@1.0.0", aReader(open, [feed]))).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/service index/),
    });
  });

  it("takes a base address without its last slash, with several types, behind a byte order mark", async () => {
    server.feed("main", { "x/1.0.0": bytes });
    const resource = { "@type": ["Other", "PackageBaseAddress/3.0.0"], "@id": `${server.url}/main/flat` };
    const feed = server.serve("/odd.json", `\ufeff${JSON.stringify({ resources: [resource] })}`);
    expect(paths(await readRef("nuget:X@1.0.0", aReader(open, [feed])))).toEqual([config, "a.txt"]);
  });

  it("follows no base address to where the policy does not lead", async () => {
    const resource = { "@type": "PackageBaseAddress/3.0.0", "@id": "https://169.254.169.254/" };
    const feed = server.serve("/index.json", JSON.stringify({ resources: [resource] }));
    await expect(readRef("nuget:X@1.0.0", aReader(open, [feed]))).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/not allowed/),
    });
  });

  it("is unavailable when no feed has it, or none is configured", async () => {
    const reader = aReader(open, [server.feed("main", {})]);
    await expect(readRef("nuget:X@1.0.0", reader)).rejects.toMatchObject({
      message: expect.stringMatching(/No configured feed has the package X 1.0.0/),
    });
    await expect(readRef("nuget:X@1.0.0")).rejects.toMatchObject({
      message: expect.stringMatching(/No NuGet feed is configured/),
    });
  });
});
