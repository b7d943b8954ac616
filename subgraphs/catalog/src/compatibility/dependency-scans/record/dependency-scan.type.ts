import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { type ScanLimit, scanLimits, scannedPackageStatuses } from "@factory/schema/vocabularies/compatibility";
import { Field, ID, Int, ObjectType } from "type-graphql";
import { VulnerabilitySeverity } from "../../../libraries/advisories/advisory.type.js";
import type { AdvisorySeverity } from "../../../libraries/advisories/advisory-severity.js";
import { PackageLicenseType } from "../../../libraries/libraries/library.type.js";

const ScannedPackageStatus = enumType(scannedPackageStatuses);

@ObjectType("PackageVulnerability", { simpleResolvers: true })
export class PackageVulnerabilityType {
  @Field(() => ID, {
    nullable: true,
    description: "The id of an imported advisory; null for one that was registered with the version of the library.",
  })
  advisoryId: string | null;

  @Field(() => VulnerabilitySeverity, { nullable: true, description: "Null where the advisory states none." })
  severity: AdvisorySeverity | null;

  @Field(() => String, {
    nullable: true,
    description:
      "At most 500 characters. Null where the imported advisory has none, and for a vulnerability that was registered with the version.",
  })
  summary: string | null;

  @Field(() => [String], { description: "Ids of the same vulnerability in other databases." })
  aliases: readonly string[];

  @Field(() => String, {
    nullable: true,
    description: "A web page about the vulnerability. Null where the imported advisory names none.",
  })
  url: string | null;

  @Field(() => [String], { description: "Versions from which on the package is not affected any more." })
  fixedVersions: readonly string[];
}

@ObjectType("ScannedPackage", { simpleResolvers: true })
export class ScannedPackageType {
  @Field({ description: "Names the package inside its scan." })
  ref: string;

  @Field()
  packageName: string;

  @Field(() => String, { nullable: true, description: "Null when the catalog has no version that fits the request." })
  version: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The version or range that asks for an unknown version; null when the version is known.",
  })
  requested: string | null;

  @Field({ description: "Whether a project, or the request, names the package itself." })
  direct: boolean;

  @Field(() => [String], { description: "The target frameworks of the projects that use it." })
  frameworks: readonly string[];

  @Field(() => ScannedPackageStatus)
  status: keyof typeof ScannedPackageStatus;

  @Field(() => ID, { nullable: true, description: "Null when the catalog does not have the version." })
  libraryVersionId: string | null;

  @Field(() => PackageLicenseType, {
    nullable: true,
    description: "The license that an imported package states. Null when it states none, and for any other version.",
  })
  license: PackageLicenseType | null;

  @Field(() => [PackageVulnerabilityType], {
    description: "Imported advisories first, ordered by id, then those that were registered with the version.",
  })
  vulnerabilities: readonly PackageVulnerabilityType[];

  @Field(() => [String], { description: "The ref of each package that it depends on." })
  dependsOn: readonly string[];
}

@ObjectType("VulnerabilityCounts", { simpleResolvers: true })
export class VulnerabilityCountsType {
  @Field(() => Int, { description: "Vulnerabilities with a CVSS score below 4, or rated as low without a score." })
  low: number;

  @Field(() => Int, {
    description: "Vulnerabilities with a CVSS score from 4 to below 7, or rated as moderate without a score.",
  })
  moderate: number;

  @Field(() => Int, {
    description: "Vulnerabilities with a CVSS score from 7 to below 9, or rated as high without a score.",
  })
  high: number;

  @Field(() => Int, { description: "Vulnerabilities with a CVSS score from 9, or rated as critical without a score." })
  critical: number;

  @Field(() => Int, { description: "Advisories that state no severity." })
  unrated: number;
}

@ObjectType("ScannedLibrary", { simpleResolvers: true })
export class ScannedLibraryType {
  @Field()
  packageName: string;

  @Field()
  version: string;
}

/** A scan without its packages, as lists show it. */
@ObjectType("DependencyScanSummary", { simpleResolvers: true })
export class DependencyScanSummaryType {
  @Field(() => ID)
  dependencyScanId: string;

  @Field(() => ID, { nullable: true, description: "Null for a set of libraries." })
  templateVersionId: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The digest of the content that was scanned, for a template version.",
  })
  contentDigest: string | null;

  @Field(() => String, { nullable: true, description: "The runtime for which a set of libraries was scanned." })
  runtime: string | null;

  @Field(() => [ScannedLibraryType], {
    nullable: true,
    description: "The set of libraries; null for a template version.",
  })
  libraries: ScannedLibraryType[] | null;

  @Field({ description: "False when a limit was reached, so that packages or advisories are missing." })
  complete: boolean;

  @Field(() => [enumType(scanLimits)], { description: "The limits that were reached." })
  limits: ScanLimit[];

  @Field(() => Int, { description: "Direct and transitive packages together, each version once and at most 2,000." })
  packageCount: number;

  @Field(() => Int, { description: "Packages whose version the catalog does not have." })
  unknownCount: number;

  @Field(() => VulnerabilityCountsType, { description: "Each vulnerability counts for each package." })
  vulnerabilityCounts: VulnerabilityCountsType;

  @Field(() => DateTime)
  scannedAt: string;
}

@ObjectType("DependencyScan", {
  implements: NodeType,
  simpleResolvers: true,
  description:
    "The packages of a template version or of a set of libraries, direct and transitive, as the catalog knows them.",
})
@NodeKey("dependencyScanId")
export class DependencyScanType extends DependencyScanSummaryType {
  @Field(() => [ScannedPackageType], { description: "Ordered by ref." })
  packages: ScannedPackageType[];
}

export const DependencyScanConnection = connectionType(
  "DependencyScanSummary",
  () => DependencyScanSummaryType,
  "The newest scan first.",
);
export type DependencyScanConnection = Connection<DependencyScanSummaryType>;
