import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { RemoteCredentials } from "../../sources/remote-credentials/remote-credentials.js";
import { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import { PackageServer } from "../../sources/sources/packages/package-server.fixture.js";
import { type ZipEntry, zipOf } from "../../sources/sources/packages/zip.fixture.js";
import { SourceReader } from "../../sources/sources/source-reader.js";
import { LibraryPackageService } from "./library-package.service.js";
import { nuspecOf } from "./nuspec.fixture.js";

describe("reading a package as a library", () => {
  let server: PackageServer;
  let reader: SourceReader;
  let packages: LibraryPackageService;

  beforeEach(async () => {
    server = await PackageServer.start();
    const policy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
    const nugetFeeds = [`${server.url}/feed/index.json`];
    reader = new SourceReader({ policy, nugetFeeds, logger: createLogger("test", "silent") });
    packages = new LibraryPackageService(new TemplateSources(reader, new RemoteCredentials(undefined), new Map()));
  });
  afterEach(async () => {
    await reader.close();
    await server.stop();
  });

  const readRef = (sourceRef: string, tenant = tenantWithId(newId("ten"))) =>
    packages.read(tenant, sourceRef, continueTrace(undefined));
  const readPackage = (files: Record<string, string> | readonly ZipEntry[]) =>
    readRef(`nupkg+${server.serve("/a.nupkg", zipOf(files))}`);
  const nuspecOfType = (type: string) => nuspecOf(`<packageTypes><packageType name="${type}" /></packageTypes>`);

  it("takes the manifest's word and the folders' frameworks", async () => {
    const libraryPackage = await readPackage({
      "Acme.Orders.nuspec": nuspecOf('<dependencies><dependency id="A" version="1.0" /></dependencies>'),
      "lib/net8.0/Acme.Orders.dll": "MZ",
      "lib/portable-net45%2Bwin8/Acme.Orders.dll": "MZ",
    });
    expect(libraryPackage).toMatchObject({
      packageName: "Acme.Orders",
      version: "1.2.3",
      targetFrameworks: ["net8.0", "portable-net45+win8"],
      dependencies: [{ packageName: "A", range: "1.0", targetFramework: null }],
      resolvedRef: expect.stringMatching(/#sha256=[0-9a-f]{64}$/),
      warnings: [],
    });
  });

  it("asks a feed, and takes from it only what was asked for", async () => {
    const bytes = zipOf({ "a.nuspec": nuspecOf(""), "lib/net8.0/_._": "" });
    server.feed("feed", { "acme.orders/1.2.3": bytes, "acme.orders/2.0.0": bytes, "acme.bills/1.2.3": bytes });
    expect(await readRef("nuget:Acme.Orders@1.2.3.0")).toMatchObject({ packageName: "Acme.Orders" });
    for (const other of ["nuget:Acme.Orders@2.0.0", "nuget:Acme.Bills@1.2.3"])
      await expect(readRef(other)).rejects.toThrow(/returned .* for the request/);
  });

  it("reads a file where the operator allows it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "library-package-"));
    try {
      const path = join(folder, "a.nupkg");
      await writeFile(path, zipOf({ "a.nuspec": nuspecOf(""), "ref/net8.0/A.dll": "MZ" }));
      expect(await readRef(`nupkg+${pathToFileURL(path).href}`)).toMatchObject({ targetFrameworks: ["net8.0"] });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([["Template"], ["DotnetTool"], ["dotnetclitool"]])("refuses a %s", async (type) => {
    await expect(readPackage({ "a.nuspec": nuspecOfType(type) })).rejects.toMatchObject({
      code: "LIBRARY_PACKAGE_INVALID",
      message: `The package has the type ${type}, which projects cannot reference. Import a package of the type Dependency.`,
    });
  });

  it("takes a type that it does not know for a library, and says so", async () => {
    expect(await readPackage({ "a.nuspec": nuspecOfType("McpServer") })).toMatchObject({
      warnings: [{ code: "PackageTypeUnknown" }],
    });
  });

  it.each<[string, Record<string, string> | readonly ZipEntry[], RegExp, string]>([
    ["no nuspec", { "lib/net8.0/A.dll": "MZ" }, /no nuspec/, ""],
    ["a nuspec below its root alone", { "content/a.nuspec": nuspecOf("") }, /no nuspec/, ""],
    ["two nuspecs", { "a.nuspec": nuspecOf(""), "b.nuspec": nuspecOf("") }, /more than one/, ""],
    ["a name that climbs", { "a.nuspec": nuspecOf(""), "../evil.dll": "" }, /path/, "SOURCE_UNSAFE"],
    ["a link", [{ name: "a.nuspec", content: "/etc/passwd", mode: 0o120777 }], /symbolic link/, "SOURCE_UNSAFE"],
    [
      "a nuspec of another size than it says",
      [{ name: "a.nuspec", content: nuspecOf(""), size: 10 }],
      /size/,
      "SOURCE_UNSAFE",
    ],
    [
      "a nuspec over its limit",
      { "a.nuspec": nuspecOf(`<!--${Math.random()}-->`.repeat(80_000)) },
      /bytes|times its size/,
      "SOURCE_TOO_LARGE",
    ],
    [
      "a bomb beside it",
      { "a.nuspec": nuspecOf(""), "lib/net8.0/A.dll": "0".repeat(5_000_000) },
      /times its size/,
      "SOURCE_TOO_LARGE",
    ],
  ])("refuses a package with %s", async (_, files, says, reason) => {
    await expect(readPackage(files)).rejects.toMatchObject({
      code: "LIBRARY_PACKAGE_INVALID",
      message: expect.stringMatching(says),
      facts: expect.objectContaining(reason === "" ? {} : { reason }),
    });
  });

  it("refuses what is no zip, and what is not there", async () => {
    const brokenRef = `nupkg+${server.serve("/broken.nupkg", "PK")}`;
    for (const sourceRef of [brokenRef, `nupkg+${server.url}/nothing.nupkg`])
      await expect(readRef(sourceRef)).rejects.toMatchObject({
        code: "LIBRARY_PACKAGE_INVALID",
        facts: { reason: "SOURCE_UNAVAILABLE" },
      });
  });

  it("holds four packages of a tenant at once, and no more", async () => {
    const waiting: (() => void)[] = [];
    server.onAny((_, response) => waiting.push(() => response.writeHead(404).end()));
    const [tenant, other] = [tenantWithId(newId("ten")), tenantWithId(newId("ten"))];
    const start = (who: typeof tenant) => readRef(`nupkg+${server.url}/slow.nupkg`, who).catch(({ code }) => code);
    const reads = [start(tenant), start(tenant), start(tenant), start(tenant), start(other)];
    expect(await start(tenant)).toBe("RATE_LIMITED");
    while (waiting.length < reads.length) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const answer of waiting) answer();
    expect(await Promise.all(reads)).toEqual(reads.map(() => "LIBRARY_PACKAGE_INVALID"));
  });

  it.each([
    ["git+https://github.com/acme/orders.git#v1"],
    ["nupkg+https://u:p@nuget.example/a.nupkg"],
    ["nupkg+https://nuget.example/a.nupkg#lib"],
    ["nuget:Acme.Orders"],
    ["ftp://nuget.example/a.nupkg"],
    ["rubbish"],
  ])("refuses %s before it asks anybody", async (sourceRef) => {
    await expect(readRef(sourceRef)).rejects.toMatchObject({ code: "SOURCE_REF_INVALID" });
    expect(server.asked).toEqual([]);
  });
});
