import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { ScanRow } from "../record/dependency-scan.view.js";
import type { ScannedPackage } from "../resolution/scanned-package.js";
import { packageUrl } from "./package-url.js";
import { foundVulnerabilities } from "./vulnerabilities.js";

const rootRef = "subject";

/** A scan as a bill of materials: CycloneDX 1.6 (cyclonedx.org/docs/1.6/json). */
export function cycloneDx(scan: ScanRow): Record<string, unknown> {
  const { packages } = scan;
  const direct = packages.filter((scannedPackage) => scannedPackage.direct).map(({ ref }) => ref);
  const vulnerabilities = foundVulnerabilities(packages);
  // other template parameters may give other packages
  const isComplete = scan.template_version_id === null && scan.limits.length === 0 && scan.unknown_count === 0;
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${scan.dependency_scan_id}`,
    version: 1,
    metadata: {
      timestamp: new Date(scan.scanned_at).toISOString(),
      tools: { components: [{ type: "application", name: "factory-catalog" }] },
      component: subjectOf(scan),
      properties: scan.limits.map((limit) => ({ name: "factory:limitReached", value: limit })),
    },
    components: packages.map(componentOf),
    dependencies: [
      { ref: rootRef, dependsOn: direct },
      ...packages.map(({ ref, dependsOn }) => ({ ref, dependsOn: [...dependsOn] })),
    ],
    // a package's dependencies are not known where the catalog does not have it
    compositions: [{ aggregate: isComplete ? "complete" : "incomplete", dependencies: [rootRef] }],
    ...(vulnerabilities.length > 0 ? { vulnerabilities } : {}),
  };
}

function subjectOf({ template_version_id, template_name, semantic_version, content_digest, runtime }: ScanRow) {
  const id = template_version_id && encodeId("tpv", template_version_id);
  const facts = { templateVersionId: id, contentDigest: content_digest, runtime };
  return {
    type: "application",
    "bom-ref": rootRef,
    name: template_name ?? "libraries",
    ...(semantic_version === null ? {} : { version: semantic_version }),
    properties: propertiesOf(facts),
  };
}

function componentOf(scannedPackage: ScannedPackage) {
  const { ref, packageName, version, status, requested, libraryVersionId, frameworks, license } = scannedPackage;
  return {
    type: "library",
    "bom-ref": ref,
    name: packageName,
    ...(version === null ? {} : { version }),
    purl: packageUrl(packageName, version),
    ...(license === null ? {} : { licenses: [licenseOf(license)] }),
    properties: [
      ...propertiesOf({ status, requested, libraryVersionId }),
      ...frameworks.map((framework) => ({ name: "factory:framework", value: framework })),
    ],
  };
}

function licenseOf({ kind, value }: NonNullable<ScannedPackage["license"]>) {
  switch (kind) {
    case "Expression":
      return { expression: value };
    case "File":
      return { license: { name: value } };
    case "Url":
      return { license: { name: value, url: value } };
  }
}

function propertiesOf(facts: Readonly<Record<string, string | null>>): { name: string; value: string }[] {
  return Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [{ name: `factory:${name}`, value }]));
}
