import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import fc from "fast-check";
import type { ScanRow } from "../record/dependency-scan.view.js";
import type { ScannedPackage } from "../resolution/scanned-package.js";
import { cycloneDx } from "./cyclone-dx.js";

const require = createRequire(import.meta.url);
const folder = require.resolve("@cyclonedx/cyclonedx-library/package.json").replace(/package\.json$/, "res/schema/");
const schema = (name: string): object =>
  JSON.parse(readFileSync(`${folder}${name}.SNAPSHOT.schema.json`, "utf8")) as object;

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
for (const format of ["iri-reference", "idn-email"]) ajv.addFormat(format, true);
// the schema names the other two relative to itself
for (const name of ["spdx", "jsf-0.82"])
  ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
const validate = ajv.compile(schema("bom-1.6"));

const faults = (document: unknown) => (validate(document) ? [] : validate.errors);

const scannedPackage = (changes: Partial<ScannedPackage>): ScannedPackage => ({
  ref: "acme.json@1.0.0",
  packageName: "Acme.Json",
  version: "1.0.0",
  requested: null,
  direct: true,
  frameworks: ["net8.0"],
  status: "Published",
  libraryVersionId: "lbv_1",
  license: null,
  vulnerabilities: [],
  dependsOn: [],
  ...changes,
});

const scan = (packages: ScannedPackage[], changes: Partial<ScanRow> = {}): ScanRow => ({
  tenant_id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d",
  render_digest: null,
  dependency_scan_id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  template_version_id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c",
  template_name: "Web API",
  semantic_version: "1.2.0",
  content_digest: `sha256:${"0".repeat(64)}`,
  runtime: null,
  libraries: null,
  packages,
  limits: [],
  package_count: packages.length,
  unknown_count: 0,
  vulnerability_counts: { low: 0, moderate: 0, high: 0, critical: 0, unrated: 0 },
  scanned_at: new Date("2026-11-28T12:00:00Z"),
  ...changes,
});

const vulnerability = {
  advisoryId: "GHSA-aaaa-bbbb-cccc",
  severity: "Moderate" as const,
  summary: "Denial of service",
  aliases: ["CVE-2026-1"],
  url: "https://example.com/GHSA-aaaa-bbbb-cccc",
  fixedVersions: ["1.0.1"],
};

const text = fc.string({ minLength: 1, maxLength: 20, unit: "binary" });
const aPackage = fc.record({
  ref: fc.constant(""),
  packageName: fc.stringMatching(/^[A-Za-z0-9_]{1,10}([.-][A-Za-z0-9]{1,5})?$/),
  version: fc.option(text),
  requested: fc.option(text),
  direct: fc.boolean(),
  frameworks: fc.array(fc.constantFrom("net8.0", "netstandard2.0"), { maxLength: 2 }),
  status: fc.constantFrom("Published" as const, "Deprecated" as const, "Retired" as const, "Unknown" as const),
  libraryVersionId: fc.option(fc.constant("lbv_1")),
  license: fc.option(
    fc.oneof(
      fc.record({ kind: fc.constantFrom("Expression" as const, "File" as const), value: text }),
      fc.record({ kind: fc.constant("Url" as const), value: fc.webUrl() }),
    ),
  ),
  vulnerabilities: fc.array(
    fc.record({
      advisoryId: fc.option(fc.constantFrom("A-1", "B-2")),
      severity: fc.option(fc.constantFrom("Low" as const, "Moderate" as const, "High" as const, "Critical" as const)),
      summary: fc.option(text),
      aliases: fc.uniqueArray(fc.constantFrom("CVE-1", "CVE-2"), { maxLength: 2 }),
      url: fc.option(fc.webUrl()),
      fixedVersions: fc.constant([]),
    }),
    { maxLength: 3 },
  ),
  dependsOn: fc.constant<string[]>([]),
});

describe("a bill of materials", () => {
  it("satisfies the published schema of CycloneDX 1.6, whatever the packages are", () => {
    fc.assert(
      fc.property(fc.array(aPackage, { maxLength: 6 }), (somePackages) => {
        const packages = somePackages.map((aPackage, at) => ({
          ...aPackage,
          ref: `p${at}`,
          dependsOn: somePackages.flatMap((_, other) => (other > at ? [`p${other}`] : [])),
        }));
        expect(faults(JSON.parse(JSON.stringify(cycloneDx(scan(packages)))))).toEqual([]);
      }),
    );
  });

  it("is refused by that schema where a member has another type, so the check means something", () => {
    expect(faults({ ...cycloneDx(scan([])), specVersion: 1.6 })).not.toEqual([]);
    expect(faults({ ...cycloneDx(scan([])), components: [{ type: "package", name: "A" }] })).not.toEqual([]);
  });

  it("has components, package URLs, licenses, the graph and the vulnerabilities", () => {
    const unknown = scannedPackage({
      ref: "gone@?2.0",
      packageName: "Gone",
      version: null,
      requested: "2.0",
      direct: false,
      status: "Unknown",
    });
    const expression = { kind: "Expression" as const, value: "MIT" };
    const document = cycloneDx(
      scan(
        [
          scannedPackage({
            version: "1.0.0-rc.1+build",
            license: expression,
            vulnerabilities: [vulnerability],
            dependsOn: ["gone@?2.0"],
          }),
          unknown,
        ],
        { unknown_count: 1 },
      ),
    );
    expect(faults(document)).toEqual([]);
    expect(document).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      metadata: { component: { name: "Web API", version: "1.2.0" } },
      components: [
        { name: "Acme.Json", purl: "pkg:nuget/Acme.Json@1.0.0-rc.1%2Bbuild", licenses: [{ expression: "MIT" }] },
        { name: "Gone", purl: "pkg:nuget/Gone" },
      ],
      dependencies: [
        { ref: "subject", dependsOn: ["acme.json@1.0.0"] },
        { ref: "acme.json@1.0.0", dependsOn: ["gone@?2.0"] },
        { ref: "gone@?2.0", dependsOn: [] },
      ],
      vulnerabilities: [
        {
          id: "GHSA-aaaa-bbbb-cccc",
          ratings: [{ severity: "medium" }],
          references: [{ id: "CVE-2026-1", source: { name: "CVE" } }],
          affects: [{ ref: "acme.json@1.0.0" }],
        },
      ],
      compositions: [{ aggregate: "incomplete" }],
    });
  });

  it.each([
    ["a complete scan of a set", { template_version_id: null }, "complete"],
    ["a set with a limit", { template_version_id: null, limits: ["Depth" as const] }, "incomplete"],
    ["a set with an unknown version", { template_version_id: null, unknown_count: 1 }, "incomplete"],
    ["the default render of a template", {}, "incomplete"],
  ])("says how complete it is: %s", (_, changes, aggregate) => {
    expect(cycloneDx(scan([scannedPackage({})], changes))).toMatchObject({ compositions: [{ aggregate }] });
  });

  it("differs between two scans with equal results in serialNumber and timestamp only", () => {
    const [first, second] = [
      cycloneDx(scan([scannedPackage({ vulnerabilities: [vulnerability] })])),
      cycloneDx(
        scan([scannedPackage({ vulnerabilities: [vulnerability] })], {
          tenant_id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d",
          render_digest: null,
          dependency_scan_id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4aff",
          scanned_at: new Date("2026-12-01T00:00:00Z"),
        }),
      ),
    ];
    expect(first["serialNumber"]).not.toBe(second["serialNumber"]);
    const sortedDocument = (document: Record<string, unknown>) => ({
      ...document,
      serialNumber: null,
      metadata: { ...(document["metadata"] as object), timestamp: null },
    });
    expect(JSON.stringify(sortedDocument(first))).toBe(JSON.stringify(sortedDocument(second)));
  });
});
