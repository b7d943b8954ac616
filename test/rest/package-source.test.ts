import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aFeed } from "../kit/feed.js";
import { zipOf } from "../kit/nuget-packages.js";
import { aSmallPack } from "../kit/packs.js";
import { PlatformHome } from "../kit/platform-home.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const aRepository = () => `acme/r${Math.random().toString(36).slice(2)}`;

/** A zip archive as NuGet writes it: the pack under content/ and the package's metadata beside it. */
function aPackage(pack: Record<string, string>): Buffer {
  const content = Object.entries(pack).map(([path, text]) => [`content/${path}`, text]);
  return zipOf({
    "Acme.Templates.nuspec": "<package/>",
    "[Content_Types].xml": "<Types/>",
    ...Object.fromEntries(content),
  });
}

/** The lone surrogate U+D800 in UTF-8 form, in an archive that declares its names as UTF-8. */
function halfAPair(): Buffer {
  const bytes = aPackage({ ...aSmallPack(), "a~~~b.txt": "x" });
  for (let at = bytes.indexOf("~~~"); at >= 0; at = bytes.indexOf("~~~", at)) bytes.set([0xed, 0xa0, 0x80], at);
  for (const [signature, flagsAt] of [
    ["504b0304", 6],
    ["504b0102", 8],
  ] as const)
    for (let at = bytes.indexOf(signature, 0, "hex"); at >= 0; at = bytes.indexOf(signature, at + 4, "hex"))
      bytes.writeUInt16LE(0x800, at + flagsAt);
  return bytes;
}

describe("a template version from a package", () => {
  const answers = new Map<string, Buffer | string>();
  let server: Server;
  let base: string;
  let home: PlatformHome;
  let platform: PlatformProcess | undefined;
  let token: string;

  // the feeds are settings, so this suite starts its own platform
  beforeAll(async () => {
    server = createServer((incoming, response) => {
      const answer = answers.get(incoming.url ?? "");
      response.writeHead(answer === undefined ? 404 : 200).end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const flat = { "@id": `${base}/flat/`, "@type": "PackageBaseAddress/3.0.0" };
    answers.set("/v3/index.json", JSON.stringify({ version: "3.0.0", resources: [flat] }));
    home = await PlatformHome.open();
    platform = await home.start({ RATE_LIMIT_FACTOR: "1000", NUGET_FEEDS: `${base}/v3/index.json` });
    home.use(platform);
    token = await (await aTenant()).tokenWith();
  });

  afterAll(async () => {
    await platform?.stop();
    await home.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const validationOf = ({ templateId, templateVersionId }: { templateId: string; templateVersionId: string }) =>
    request<{ outcome: string; findings: { code: string }[] }>(`POST /v1/templates/${templateId}/validate`, {
      token,
      body: { templateVersionId },
    });

  it.each([
    [
      "on a web server",
      async (bytes: Buffer) => {
        answers.set("/acme.templates.nupkg", bytes);
        return `nupkg+${base}/acme.templates.nupkg`;
      },
    ],
    [
      "in a local folder",
      async (bytes: Buffer) => {
        const file = join(home.dataDir, "acme.templates.nupkg");
        await writeFile(file, bytes);
        return `nupkg+${pathToFileURL(file).href}`;
      },
    ],
    [
      "in a NuGet feed",
      async (bytes: Buffer) => {
        answers.set("/flat/acme.templates/1.2.0/acme.templates.1.2.0.nupkg", bytes);
        return "nuget:Acme.Templates@1.2.0";
      },
    ],
  ])("%s is validated, executed and recorded by its sha256", async (_, publish) => {
    const bytes = aPackage(aSmallPack());
    const sourceRef = await publish(bytes);
    const version = await aTemplateVersion(token, sourceRef);
    expect((await validationOf(version)).body).toMatchObject({ outcome: "Passed", findings: [] });
    const target = { repository: aRepository() };
    const { status, output, error } = await executed(token, version, { parameters: { name: "Acme.Shop" }, target });
    expect([status, error]).toEqual(["Completed", null]);
    const clone = await cloneOf(output?.repository ?? "", token);
    expect(clone.files).toEqual(["Acme.Shop/Acme.Shop.csproj", "README.md"]);
    expect(await clone.read("README.md")).toBe("# Acme.Shop\n");
    expect(clone.commits[0]).toContain(`Template-Source: ${sourceRef}#sha256=${sha256(bytes)}`);
    await clone.remove();
  });

  it("has the content digest of a git source with the same files", async () => {
    answers.set("/same.nupkg", aPackage(aSmallPack()));
    const digests = [];
    for (const source of [`nupkg+${base}/same.nupkg`, await aTemplateSource(aSmallPack())]) {
      const version = await aTemplateVersion(token, source);
      const execution = await executed(token, version, { target: { repository: aRepository() } });
      digests.push((execution.output as { contentDigest?: string } | null)?.contentDigest);
    }
    expect(digests[0]).toMatch(/^sha256:/);
    expect(digests[1]).toBe(digests[0]);
  });

  it("fails when the address returns other bytes than those it is pinned to", async () => {
    answers.set("/moving.nupkg", aPackage(aSmallPack()));
    const version = await aTemplateVersion(token, `nupkg+${base}/moving.nupkg`);
    answers.set("/moving.nupkg", aPackage(aSmallPack({ files: { "planted.txt": "x" } })));
    const execution = await executed(token, version, { target: { repository: aRepository() } });
    expect(execution).toMatchObject({ status: "Failed", output: null, error: { code: "SOURCE_UNSAFE" } });
    expect((await validationOf(version)).body).toMatchObject({
      outcome: "Failed",
      findings: [{ code: "SourceUnsafe" }],
    });
  });

  it.each([
    ["has a path with a parent folder", () => aPackage({ ...aSmallPack(), "../../x": "x" }), "SOURCE_UNSAFE"],
    ["uncompresses to much more than its size", () => aPackage({ zeros: "\0".repeat(5_000_000) }), "SOURCE_TOO_LARGE"],
    ["is not a zip archive", () => Buffer.from("<html>"), "SOURCE_UNAVAILABLE"],
    ["holds no template", () => aPackage({ "README.md": "x" }), "TEMPLATE_INVALID"],
  ])("fails with a code when it %s", async (_, bytes, code) => {
    answers.set("/broken.nupkg", bytes());
    const version = await aTemplateVersion(token, `nupkg+${base}/broken.nupkg`);
    const execution = await executed(token, version, { target: { repository: aRepository() } });
    expect(execution).toMatchObject({ status: "Failed", output: null, error: { code } });
  });

  it.each<[string, () => Buffer, string]>([
    ["NUL", () => aPackage({ ...aSmallPack(), "a\0b.txt": "x" }), "content/a\\u0000b.txt"],
    ["NUL as a URI segment", () => aPackage({ ...aSmallPack(), "a%00b.txt": "x" }), "content/a\\u0000b.txt"],
    ["a control character", () => aPackage({ ...aSmallPack(), "a\u0085\nb.txt": "x" }), "content/a\\u0085\\u000ab.txt"],
    ["half a surrogate pair", () => halfAPair(), "content/a\\xed\\xa0\\x80b.txt"],
  ])(
    "ends as Failed with a code, an event and a stored reason when a name contains %s",
    async (_, bytes, visibleName) => {
      answers.set("/unstorable.nupkg", bytes());
      const version = await aTemplateVersion(token, `nupkg+${base}/unstorable.nupkg`);
      const feed = await aFeed<{ events: { type: string; data: unknown } }>({
        query: 'subscription { events(types: ["TemplateExecutionFailed"]) { type data } }',
        token,
      });
      const execution = await executed(token, version, { target: { repository: aRepository() } });
      const error = {
        code: "SOURCE_UNSAFE",
        message: expect.stringContaining(visibleName),
        details: { paths: [visibleName] },
      };
      expect(execution).toMatchObject({ status: "Failed", output: null, error });
      await eventually("the event of the failure", () => feed.events.length > 0);
      expect(feed.events[0]?.events.data).toMatchObject({
        executionId: execution.executionId,
        error: { code: "SOURCE_UNSAFE", message: expect.stringContaining(visibleName) },
      });
      await feed.stop();
      const validation = await validationOf(version);
      expect(validation.body).toMatchObject({ outcome: "Failed", findings: [{ severity: "Error" }] });
      expect(validation.text).toContain(JSON.stringify(visibleName).slice(1, -1));
    },
  );

  it("can be created before its package exists", async () => {
    const version = await aTemplateVersion(token, "nuget:Acme.Later@2.0.0");
    const early = await executed(token, version, { target: { repository: aRepository() } });
    expect(early).toMatchObject({ status: "Failed", error: { code: "SOURCE_UNAVAILABLE" } });
    answers.set("/flat/acme.later/2.0.0/acme.later.2.0.0.nupkg", aPackage(aSmallPack()));
    const later = await executed(token, version, { target: { repository: aRepository() } });
    expect(later.status).toBe("Completed");
  });

  it.each([
    "nupkg+https://user:secret@host.example/x.nupkg",
    "nupkg+https://169.254.169.254/x.nupkg",
    "nupkg+http://host.example/x.nupkg",
    "nuget:Acme.Templates@1.2.0#../../etc",
  ])("is refused at once when its reference is %s", async (sourceRef) => {
    const { body } = await request<{ templateId: string }>("POST /v1/templates", {
      token,
      body: { name: `template-${Math.random().toString(36).slice(2)}`, category: "Service" },
    });
    const answer = await request(`POST /v1/templates/${body.templateId}/versions`, {
      token,
      body: { semanticVersion: "1.0.0", sourceRef, engineKind: "DotnetNewTemplatePack", targetFramework: "net8.0" },
    });
    expect(refusal(answer)).toBe("422 SOURCE_REF_INVALID");
  });
});
