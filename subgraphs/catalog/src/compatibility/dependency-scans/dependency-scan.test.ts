import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";
import { aPrincipal, type CatalogFixture, startCatalogFixture } from "../../catalog.fixture.js";
import { BareRepository } from "../../git/git/bare-repository.fixture.js";
import { TemplateService } from "../../templates/templates/template.service.js";
import { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import { DependencyScanService } from "./dependency-scan.service.js";
import { matchAgain, matchBefore, type StorablePackages } from "./package-matching.js";

const config = (changes: object = {}) =>
  JSON.stringify({ identity: "a", name: "a", shortName: "a", sourceName: "Old", author: "Acme", ...changes });
const pack = (references: string, changes: object = {}) => ({
  ".template.config/template.json": config(changes),
  "Directory.Packages.props": `<Project><PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally></PropertyGroup>
    <ItemGroup><PackageVersion Include="Acme.Direct" Version="1.0.0" /></ItemGroup></Project>`,
  "Old.csproj": `<Project><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
    <ItemGroup>${references}</ItemGroup></Project>`,
});
const direct = '<PackageReference Include="Acme.Direct" />';
const scanFields = `dependencyScanId templateVersionId contentDigest runtime complete limits packageCount unknownCount
  vulnerabilityCounts { low moderate high critical unrated }
  packages { ref direct status license { kind value } vulnerabilities { advisoryId severity url fixedVersions } dependsOn }`;

interface Scan {
  dependencyScanId: string;
  packages: { ref: string; vulnerabilities: object[] }[];
  [member: string]: unknown;
}

let fixture: CatalogFixture;
let actor: Principal;
let repository: BareRepository;

beforeAll(async () => {
  fixture = await startCatalogFixture({ verify: () => Promise.reject(new Error("nobody asks")) });
  repository = await BareRepository.create();
});
afterAll(async () => {
  await fixture.close();
  await repository.remove();
});
beforeEach(async () => {
  actor = aPrincipal();
  await fixture.run(
    actor,
    `mutation { registerLibrary(input: { packageName: "Acme.Direct", versions: [{ semanticVersion: "1.0.0",
       dependencies: [{ packageName: "Acme.Deep", range: "[2.0,3.0)" }, { packageName: "Foreign", range: "1.0" }] }] }) { libraryId } }`,
  );
  await fixture.run(
    actor,
    `mutation { registerLibrary(input: { packageName: "Acme.Deep", versions: [{ semanticVersion: "2.1.0",
       vulnerabilities: [{ severity: Low, advisoryUrl: "https://example.com/CVE-2026-1" }] }] }) { libraryId } }`,
  );
});

let branches = 0;
async function aVersionOf(files: Record<string, string>, version = ""): Promise<string> {
  branches += 1;
  const branch = `b${branches}`;
  await repository.commit(branch, files, { parent: null });
  const { registerTemplate } = await fixture.run<{ registerTemplate: { templateId: string } }>(
    actor,
    `mutation { registerTemplate(input: { name: "t${branches}", category: "Service" }) { templateId } }`,
  );
  const { createTemplateVersion } = await fixture.run<{ createTemplateVersion: { templateVersionId: string } }>(
    actor,
    `mutation { createTemplateVersion(templateId: "${registerTemplate.templateId}", input: { semanticVersion: "1.0.0",
       sourceRef: "git+${repository.url}#${branch}", engineKind: DotnetNewTemplatePack, targetFramework: "net8.0" ${version} })
       { templateVersionId } }`,
  );
  return createTemplateVersion.templateVersionId;
}

const scanOf = async (input: string, by = actor) =>
  (
    await fixture.run<{ scanDependencies: Scan }>(
      by,
      `mutation { scanDependencies(input: { ${input} }) { ${scanFields} } }`,
    )
  ).scanDependencies;
const scanVersion = (templateVersionId: string) => scanOf(`templateVersionId: "${templateVersionId}"`);
const codeOf = async (work: Promise<unknown>): Promise<{ code: unknown; extensions: Record<string, unknown> }> => {
  try {
    await work;
  } catch (error) {
    const { extensions } = error as { extensions: Record<string, unknown> };
    return { code: extensions["code"], extensions };
  }
  return { code: undefined, extensions: {} };
};
const eventsOf = async (type: string) =>
  (
    await fixture.rows<{ envelope: Envelope }>(
      "select envelope from catalog.outbox where type = $1 and envelope->>'tenantid' = $2 order by seq",
      type,
      actor.tenantId,
    )
  ).map(({ envelope }) => envelope);

const advisory = (changes: object = {}) => ({
  id: "GHSA-1",
  modified: "2026-01-01T00:00:00Z",
  aliases: ["CVE-2026-1"],
  database_specific: { severity: "HIGH" },
  affected: [
    {
      package: { ecosystem: "NuGet", name: "acme.deep" },
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "2.2.0" }] }],
    },
  ],
  ...changes,
});
/** As GraphQL writes a value: member names without quotes. */
const literal = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, "$1:");
const importing = async (documents: object[], by = actor) =>
  (
    await fixture.run<{ importAdvisories: object }>(
      by,
      `mutation { importAdvisories(input: { documents: ${literal(documents)} }) { imported unchanged ignored refused } }`,
    )
  ).importAdvisories;

describe("Mutation.scanDependencies", () => {
  it("finds the packages of the default render, direct and transitive, and stores them with an event", async () => {
    const templateVersionId = await aVersionOf(pack(direct));
    const scan = await scanVersion(templateVersionId);
    expect(scan).toMatchObject({
      templateVersionId,
      complete: true,
      packageCount: 3,
      unknownCount: 1,
      vulnerabilityCounts: { low: 1, moderate: 0, high: 0, critical: 0, unrated: 0 },
      packages: [
        { ref: "acme.deep@2.1.0", direct: false, status: "Published", dependsOn: [] },
        { ref: "acme.direct@1.0.0", direct: true, dependsOn: ["acme.deep@2.1.0", "foreign@?1.0"] },
        { ref: "foreign@?1.0", direct: false, status: "Unknown" },
      ],
    });
    const { dependencyScanId } = scan;
    const readAnswer = await fixture.run<Record<string, unknown>>(
      actor,
      `{ dependencyScan(dependencyScanId: "${dependencyScanId}") { ${scanFields} cycloneDx }
         dependencyScans(templateVersionId: "${templateVersionId}") { items { dependencyScanId packageCount } } }`,
    );
    expect(readAnswer).toMatchObject({
      dependencyScan: { ...scan, cycloneDx: { bomFormat: "CycloneDX", specVersion: "1.6" } },
      dependencyScans: { items: [{ dependencyScanId, packageCount: 3 }] },
    });
    expect(await eventsOf("DependenciesScanned")).toMatchObject([
      { subject: `template-versions/${templateVersionId}`, data: { dependencyScanId, packageCount: 3, runtime: null } },
    ]);
  });

  it("scans a set of libraries for a runtime", async () => {
    const scan = await scanOf('runtime: "net10.0", libraries: [{ packageName: "acme.direct", version: "1.0" }]');
    expect(scan).toMatchObject({ templateVersionId: null, runtime: "net10.0", packageCount: 3 });
    expect(scan.packages.map(({ ref }) => ref)).toEqual(["acme.deep@2.1.0", "acme.direct@1.0.0", "foreign@?1.0"]);
  });

  it("renders with the first parameters that the schema accepts, where it requires some", async () => {
    const symbols = { Package: { type: "parameter", datatype: "string", replaces: "Chosen.Package" } };
    const files = pack('<PackageReference Include="Chosen.Package" />', { symbols });
    const schema = { type: "object", required: ["Package"], properties: { Package: { enum: ["Acme.Direct"] } } };
    const scan = await scanVersion(await aVersionOf(files, `parameterSchema: ${literal(schema)}`));
    expect(scan.packages.map(({ ref }) => ref)).toContain("acme.direct@1.0.0");
    const impossible = await aVersionOf(
      pack(direct),
      `parameterSchema: ${literal({ type: "object", required: ["X"], properties: { X: false } })}`,
    );
    expect((await codeOf(scanVersion(impossible))).extensions).toMatchObject({
      code: "DEPENDENCY_SCAN_FAILED",
      reason: "RENDER_FAILED",
    });
  });

  it.each([
    ["neither a version nor a set", "", "VALIDATION_FAILED"],
    ["both", `templateVersionId: "${newId("tpv")}", runtime: "net8.0"`, "VALIDATION_FAILED"],
    ["a set without a runtime", 'libraries: [{ packageName: "A", version: "1.0.0" }]', "VALIDATION_FAILED"],
    ["a set without libraries", 'runtime: "net8.0"', "VALIDATION_FAILED"],
    ["an unknown version", `templateVersionId: "${newId("tpv")}"`, "TEMPLATE_VERSION_NOT_FOUND"],
    [
      "an unknown runtime",
      'runtime: "x", libraries: [{ packageName: "A", version: "1.0.0" }]',
      "RUNTIME_NOT_RECOGNISED",
    ],
    [
      "a library that is none",
      'runtime: "net8.0", libraries: [{ packageName: "..", version: "1" }]',
      "LIBRARIES_INVALID",
    ],
  ])("refuses %s, and leaves nothing behind", async (_, input, code) => {
    expect((await codeOf(scanOf(input))).code).toBe(code);
    expect(await eventsOf("DependenciesScanned")).toEqual([]);
  });

  it("answers a source that cannot be read with the code that an execution would have", async () => {
    const version = await aVersionOf(pack(direct));
    await fixture.rows(
      "update catalog.template_versions set resolved_ref = 'git+file:///nowhere.git#main' where template_version_id = $1",
      decodeId("tpv", version),
    );
    const { extensions } = await codeOf(scanVersion(version));
    expect(extensions).toMatchObject({ code: "DEPENDENCY_SCAN_FAILED", reason: expect.stringMatching(/^SOURCE_/) });
  });

  it("keeps the newest scans of a version only", async () => {
    const version = await aVersionOf(pack(""));
    const { dependencyScanId } = await scanVersion(version);
    await fixture.rows(
      `insert into catalog.dependency_scans select (jsonb_populate_record(scan, jsonb_build_object('dependency_scan_id',
         overlay(scan.dependency_scan_id::text placing to_char(number, 'fm0000') from 1 for 4)::uuid))).*
       from catalog.dependency_scans scan, generate_series(1, 30) number where dependency_scan_id = $1`,
      decodeId("scn", dependencyScanId),
    );
    const last = await scanVersion(version);
    const ids = await fixture.rows<{ dependency_scan_id: string }>(
      "select dependency_scan_id from catalog.dependency_scans where template_version_id = $1 order by 1 desc",
      decodeId("tpv", version),
    );
    expect(ids).toHaveLength(20);
    expect([0, 1].map((at) => ids[at]?.dependency_scan_id)).toEqual(
      [last.dependencyScanId, dependencyScanId].map((id) => decodeId("scn", id)),
    );
  });

  it("shows a scan to readers of its subject, and asks for both scopes for a set", async () => {
    const holding = (...scopes: Scope[]) => ({ ...actor, scopes: new Set(scopes) });
    const ofVersion = await scanVersion(await aVersionOf(pack(direct)));
    const set = 'runtime: "net8.0", libraries: [{ packageName: "Acme.Deep", version: "2.1.0" }]';
    const ofSet = await scanOf(set, holding("templates.execute", "libraries.read"));
    const reading = ({ dependencyScanId }: Scan, ...scopes: Scope[]) =>
      fixture.run(holding(...scopes), `{ dependencyScan(dependencyScanId: "${dependencyScanId}") { packageCount } }`);
    expect((await codeOf(reading(ofVersion, "libraries.read"))).code).toBe("NOT_FOUND");
    expect((await codeOf(reading(ofSet, "templates.read"))).code).toBe("NOT_FOUND");
    expect(await reading(ofVersion, "templates.read")).toMatchObject({ dependencyScan: { packageCount: 3 } });
    expect(await reading(ofSet, "libraries.read")).toMatchObject({ dependencyScan: { packageCount: 1 } });
    expect((await codeOf(scanOf(set, holding("templates.execute", "templates.write")))).code).toBe(
      "INSUFFICIENT_SCOPE",
    );
    const { scanDependencies } = await fixture.run<{ scanDependencies: object }>(
      holding("templates.execute"),
      `mutation { scanDependencies(input: { templateVersionId: "${String(ofVersion["templateVersionId"])}" }) { cycloneDx } }`,
    );
    expect(scanDependencies).toMatchObject({ cycloneDx: { bomFormat: "CycloneDX" } });
  });

  it("resolves each version that a condition may choose, with its own dependencies", async () => {
    const references = `<PackageReference Include="Acme.Deep" VersionOverride="2.0.0" Condition="'$(Old)' == 'yes'" />
      <PackageReference Include="Acme.Direct" />`;
    const scan = await scanVersion(await aVersionOf(pack(references)));
    expect(scan).toMatchObject({ complete: true });
    expect(scan.packages.map(({ ref }) => ref)).toEqual([
      "acme.deep@2.0.0",
      "acme.deep@2.1.0",
      "acme.direct@1.0.0",
      "foreign@?1.0",
    ]);
  });

  it("refuses a version that was deleted between reading and storing", async () => {
    const templateVersionId = await aVersionOf(pack(direct));
    const subject = {
      templateVersionId,
      templateName: "t",
      semanticVersion: "1.0.0",
      renderDigest: "d",
      contentDigest: "c",
      runtime: null,
      libraries: null,
      packages: [],
      limits: [],
    };
    const prepare = async () => {
      await fixture.rows(
        "delete from catalog.template_versions where template_version_id = $1",
        decodeId("tpv", templateVersionId),
      );
      return subject;
    };
    const context = requestContext({ principal: actor, trace: continueTrace(undefined) });
    const service = new DependencyScanService(
      fixture.database,
      { prepare },
      new TemplateVersionService(fixture.database, new TemplateService(fixture.database)),
    );
    await expect(service.scan(context, { templateVersionId })).rejects.toMatchObject({
      code: "TEMPLATE_VERSION_NOT_FOUND",
    });
  });

  it("shows a scan, its libraries and its advisories to no other tenant", async () => {
    const scan = await scanVersion(await aVersionOf(pack(direct)));
    await importing([advisory()]);
    const stranger = aPrincipal();
    const query = `{ dependencyScan(dependencyScanId: "${scan.dependencyScanId}") { packageCount } }`;
    expect((await codeOf(fixture.run(stranger, query))).code).toBe("NOT_FOUND");
    const foreign = await scanOf(
      'runtime: "net8.0", libraries: [{ packageName: "Acme.Deep", version: "2.1.0" }]',
      stranger,
    );
    expect(foreign.packages).toMatchObject([{ status: "Unknown", vulnerabilities: [] }]);
  });
});

describe("the advisories of a scan", () => {
  it("are those of the moment when it is stored", async () => {
    await importing([advisory()]);
    const packages = ["Acme.Deep", "Alien"].map((packageName) => ({
      ...{ ref: packageName, packageName, version: null, requested: "[2.1.0,3.0)", direct: true, frameworks: [] },
      ...{ status: "Unknown" as const, libraryVersionId: null, license: null, vulnerabilities: [], dependsOn: [] },
    }));
    const alien = { package: { ecosystem: "NuGet", name: "Alien" }, versions: ["2.1.0"] };
    const context = requestContext({ principal: actor, trace: continueTrace(undefined) });
    const matchedPackages = await matchBefore(fixture.database, tenantOf(context), packages);
    await importing([
      advisory({ modified: "2026-02-01T00:00:00Z", withdrawn: "2026-02-01T00:00:00Z" }),
      advisory({ id: "GHSA-2", affected: [alien] }),
    ]);
    const storablePackages = await fixture.database.transaction(
      tenantOf(context),
      { trace: context.trace },
      (transaction) => matchAgain(transaction, packages, matchedPackages),
    );
    const advisoryIds = (scan: StorablePackages) =>
      scan.packages.map(({ vulnerabilities }) => vulnerabilities.map(({ advisoryId }) => advisoryId));
    expect(advisoryIds(matchedPackages.storable)).toEqual([["GHSA-1"], []]);
    expect(advisoryIds(storablePackages)).toEqual([[], ["GHSA-2"]]);
    expect(storablePackages.limits).toEqual([]);
  });
});

describe("Mutation.importAdvisories", () => {
  const set =
    'runtime: "net8.0", libraries: [{ packageName: "Acme.Direct", version: "1.0.0" }, { packageName: "Alien", version: "5.0.0" }]';
  const vulnerabilitiesOf = async (ref: string) =>
    (await scanOf(set)).packages.find((scannedPackage) => scannedPackage.ref === ref)?.vulnerabilities;

  it("lets a scan find advisories, each once, and also for packages that the catalog does not have", async () => {
    const alien = advisory({
      id: "GHSA-2",
      aliases: [],
      database_specific: {},
      affected: [{ package: { ecosystem: "NuGet", name: "Alien" }, versions: ["5.0.0"] }],
    });
    expect(await importing([advisory(), alien])).toEqual({ imported: 2, unchanged: 0, ignored: 0, refused: [] });
    expect(await vulnerabilitiesOf("acme.deep@2.1.0")).toEqual([
      { advisoryId: "GHSA-1", severity: "High", url: null, fixedVersions: ["2.2.0"] },
    ]);
    expect(await vulnerabilitiesOf("alien@5.0.0")).toMatchObject([{ advisoryId: "GHSA-2", severity: null }]);
    expect(await eventsOf("AdvisoriesImported")).toMatchObject([
      { data: { imported: 2, unchanged: 0, ignored: 0, refused: [] } },
    ]);
  });

  it("keeps the copy that was changed last, and forgets a withdrawn one", async () => {
    const registeredVulnerability = { advisoryId: null, severity: "Low" };
    await importing([advisory()]);
    expect(await importing([advisory({ modified: "2025-01-01T00:00:00Z", affected: [] })])).toMatchObject({
      unchanged: 1,
    });
    expect(await vulnerabilitiesOf("acme.deep@2.1.0")).toMatchObject([{ advisoryId: "GHSA-1" }]);
    await importing([advisory({ modified: "2026-02-01T00:00:00Z", withdrawn: "2026-02-01T00:00:00Z" })]);
    expect(await vulnerabilitiesOf("acme.deep@2.1.0")).toMatchObject([registeredVulnerability]);
    await importing([advisory({ modified: "2026-03-01T00:00:00Z" })]);
    expect(await vulnerabilitiesOf("acme.deep@2.1.0")).toMatchObject([{ advisoryId: "GHSA-1" }]);
    await importing([advisory({ modified: "2026-04-01T00:00:00Z", affected: [] })]);
    expect(await vulnerabilitiesOf("acme.deep@2.1.0")).toMatchObject([registeredVulnerability]);
  });

  it("ignores advisories about other ecosystems, and imports all or nothing", async () => {
    const npm = advisory({ id: "NPM-1", affected: [{ package: { ecosystem: "npm", name: "a" } }] });
    expect(await importing([npm, npm])).toEqual({ imported: 0, unchanged: 0, ignored: 1, refused: [] });
    const { extensions } = await codeOf(importing([advisory(), advisory({ id: "" })]));
    expect(extensions).toMatchObject({ code: "ADVISORIES_INVALID", errors: [{ pointer: "/documents/1/id" }] });
    expect(await vulnerabilitiesOf("acme.deep@2.1.0")).toMatchObject([{ advisoryId: null }]);
  });

  it("takes the same advisory from two requests at once", async () => {
    const copies = ["2026-01-01", "2026-01-02", "2026-01-03"].map((day) => advisory({ modified: `${day}T00:00:00Z` }));
    await Promise.all(copies.map((copy) => importing([copy])));
    const advisoryAnswer = await fixture.run<{ packageAdvisories: object[] }>(
      actor,
      '{ packageAdvisories(packageName: "Acme.DEEP") { advisoryId modifiedAt intervals { from to inclusive } } }',
    );
    expect(advisoryAnswer.packageAdvisories).toEqual([
      {
        advisoryId: "GHSA-1",
        modifiedAt: "2026-01-03T00:00:00.000Z",
        intervals: [{ from: null, to: "2.2.0", inclusive: false }],
      },
    ]);
  });
});

describe("governance.publish.scanSeverity", () => {
  const setSeverity = (severity: string) =>
    fixture.rows(
      `insert into catalog.tenant_projections (tenant_id, version, slug, status, edition_code, subscription_status,
         settings, limits, stored_at) values ($1, 1, 'acme', 'Active', 'Free', '', $2, '{}', now())`,
      decodeId("ten", actor.tenantId ?? ""),
      JSON.stringify({ "governance.publish.scanSeverity": severity }),
    );
  const publish = (templateVersionId: string) =>
    fixture.run(actor, `mutation { publishTemplateVersion(templateVersionId: "${templateVersionId}") { status } }`);

  /** A version whose content has passed every check and was read before. */
  async function aCheckedVersion(references = direct): Promise<string> {
    const version = await aVersionOf(pack(references));
    await scanVersion(version);
    const [row] = await fixture.rows<{ resolved_ref: string; content_digest: string }>(
      "select resolved_ref, content_digest from catalog.template_versions where template_version_id = $1",
      decodeId("tpv", version),
    );
    await fixture.passEveryCheck(version);
    await fixture.rows(
      "update catalog.template_versions set resolved_ref = $2, content_digest = $3 where template_version_id = $1",
      decodeId("tpv", version),
      row?.resolved_ref,
      row?.content_digest,
    );
    await fixture.rows(
      "update catalog.validation_results set content_digest = $2 where template_version_id = $1",
      decodeId("tpv", version),
      row?.content_digest,
    );
    return version;
  }

  it("asks for nothing where it is not set", async () => {
    const version = await aCheckedVersion();
    await fixture.rows("delete from catalog.dependency_scans where template_version_id = $1", decodeId("tpv", version));
    expect(await publish(version)).toEqual({ publishTemplateVersion: { status: "Published" } });
  });

  it("refuses a version that was never scanned, has changed or was scanned in part, and says how to scan", async () => {
    await setSeverity("Critical");
    const version = await aCheckedVersion();
    const change = (assignment: string) =>
      fixture.rows(
        `update catalog.dependency_scans set ${assignment} where template_version_id = $1`,
        decodeId("tpv", version),
      );
    for (const assignment of ["render_digest = 'sha256:other'", "limits = '{Depth}'"]) {
      await scanVersion(version);
      await change(assignment);
      const { extensions } = await codeOf(publish(version));
      expect(extensions).toMatchObject({ code: "TEMPLATE_VERSION_NOT_SCANNED" });
    }
    await fixture.rows("delete from catalog.dependency_scans where template_version_id = $1", decodeId("tpv", version));
    await expect(publish(version)).rejects.toThrow(`scanDependencies(input: {templateVersionId: "${version}"})`);
    await scanVersion(version);
    expect(await publish(version)).toEqual({ publishTemplateVersion: { status: "Published" } });
  });

  it("lets a version be published and scanned at the same time, and keeps both results", async () => {
    await setSeverity("Critical");
    const version = await aCheckedVersion();
    const [scan, publishedVersion] = await Promise.all([scanVersion(version), publish(version)]);
    expect(publishedVersion).toEqual({ publishTemplateVersion: { status: "Published" } });
    const events = await eventsOf("DependenciesScanned");
    expect(events.map(({ data }) => data["dependencyScanId"])).toContain(scan.dependencyScanId);
    const storedScans = await fixture.rows(
      "select from catalog.dependency_scans where tenant_id = $1",
      decodeId("ten", actor.tenantId ?? ""),
    );
    expect(storedScans).toHaveLength(events.length);
  });

  it("counts a parameter schema that was replaced after the scan as a change", async () => {
    await setSeverity("Critical");
    const version = await aCheckedVersion();
    await fixture.rows(
      `update catalog.template_versions set parameter_schema = '{"type":"object","properties":{"A":{"default":"x"}}}'
       where template_version_id = $1`,
      decodeId("tpv", version),
    );
    expect((await codeOf(publish(version))).code).toBe("TEMPLATE_VERSION_NOT_SCANNED");
  });

  it.each([
    ["Low", "TEMPLATE_VERSION_VULNERABLE"],
    ["Moderate", undefined],
  ])("with %s judges the registered vulnerability of severity Low", async (severity, code) => {
    await setSeverity(severity);
    expect((await codeOf(publish(await aCheckedVersion()))).code).toBe(code);
  });

  it("finds advisories and recalls that came after the scan, and forgets withdrawn ones", async () => {
    await setSeverity("High");
    const version = await aCheckedVersion();
    await importing([advisory()]);
    const { extensions } = await codeOf(publish(version));
    expect(extensions).toMatchObject({
      code: "TEMPLATE_VERSION_VULNERABLE",
      errors: [{ code: "KnownVulnerability", detail: expect.stringContaining("GHSA-1") }],
    });
    await scanVersion(version);
    await importing([advisory({ modified: "2026-02-01T00:00:00Z", withdrawn: "2026-02-01T00:00:00Z" })]);
    await fixture.rows(
      `update catalog.library_versions set status = 'Retired' where tenant_id = $1 and semantic_version = '2.1.0'`,
      decodeId("ten", actor.tenantId ?? ""),
    );
    expect((await codeOf(publish(version))).extensions).toMatchObject({
      code: "TEMPLATE_VERSION_VULNERABLE",
      errors: [{ code: "LibraryVersionRetired" }],
    });
    await fixture.rows(
      `update catalog.library_versions set status = 'Deprecated' where tenant_id = $1 and semantic_version = '2.1.0'`,
      decodeId("ten", actor.tenantId ?? ""),
    );
    expect((await codeOf(publish(version))).code).toBeUndefined();
  });

  it.each([
    ["the lowest version of a range", "[12.0.1,13.0)", "12.0.1", "TEMPLATE_VERSION_VULNERABLE"],
    ["the lowest version of a range that is not affected", "[12.0.2,13.0)", "12.0.1", undefined],
    ["a floating version", "12.*", "9.0.0", "TEMPLATE_VERSION_NOT_SCANNED"],
    ["an exclusive lower bound", "(12.0.0,13.0)", "9.0.0", "TEMPLATE_VERSION_NOT_SCANNED"],
    ["a property that no file sets", "$(Version)", "9.0.0", "TEMPLATE_VERSION_NOT_SCANNED"],
  ])("judges a package that the catalog does not have by %s", async (_, requestedRange, affectedRange, code) => {
    await setSeverity("High");
    const alien = { package: { ecosystem: "NuGet", name: "Alien" }, versions: [affectedRange] };
    const version = await aCheckedVersion(`<PackageReference Include="Alien" VersionOverride="${requestedRange}" />`);
    await importing([advisory({ affected: [alien] })]);
    expect((await codeOf(publish(version))).code).toBe(code);
  });

  it("judges an unknown version of a package by the vulnerabilities that were registered with any version", async () => {
    await setSeverity("High");
    const version = await aCheckedVersion('<PackageReference Include="Acme.Deep" VersionOverride="(5.0,6.0)" />');
    expect((await codeOf(publish(version))).code).toBe("TEMPLATE_VERSION_NOT_SCANNED");
    await expect(publish(version)).rejects.toThrow("Acme.Deep (5.0,6.0)");
  });

  it("counts a registered vulnerability whatever an import says of the same advisory", async () => {
    await fixture.rows(
      `update catalog.library_versions set vulnerabilities = jsonb_set(vulnerabilities, '{0,severity}', '"Critical"')
       where tenant_id = $1 and semantic_version = '2.1.0'`,
      decodeId("ten", actor.tenantId ?? ""),
    );
    await importing([advisory({ database_specific: { severity: "LOW" } })]);
    await setSeverity("High");
    const version = await aCheckedVersion();
    const scan = await scanVersion(version);
    expect(scan.packages[0]?.vulnerabilities).toMatchObject([{ advisoryId: "GHSA-1", severity: "Critical" }]);
    const refusal = {
      code: "TEMPLATE_VERSION_VULNERABLE",
      errors: [{ detail: expect.stringContaining("severity Critical: https://example.com/CVE-2026-1") }],
    };
    expect((await codeOf(publish(version))).extensions).toMatchObject(refusal);
    await importing([advisory({ modified: "2026-02-01T00:00:00Z", withdrawn: "2026-02-01T00:00:00Z" })]);
    expect((await codeOf(publish(version))).extensions).toMatchObject(refusal);
  });

  it("counts an advisory without a severity as Critical", async () => {
    await setSeverity("Critical");
    const version = await aCheckedVersion();
    await importing([advisory({ database_specific: {} })]);
    expect((await codeOf(publish(version))).code).toBe("TEMPLATE_VERSION_VULNERABLE");
  });
});
