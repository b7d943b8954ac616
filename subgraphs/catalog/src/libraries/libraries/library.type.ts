import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { PageInfo } from "@factory/runtime/pagination/page-info.type";
import {
  deprecationReasons,
  libraryStatuses,
  libraryVersionStatuses,
  packageLicenseKinds,
} from "@factory/schema/vocabularies/libraries";
import { Directive, Field, ID, Int, ObjectType } from "type-graphql";
import { VulnerabilitySeverity } from "../advisories/advisory.type.js";

export const LibraryStatus = enumType(libraryStatuses);

const LibraryVersionStatus = enumType(libraryVersionStatuses);

const DeprecationReason = enumType(deprecationReasons);

@ObjectType("Capability", { simpleResolvers: true })
export class CapabilityType {
  @Field()
  name: string;

  @Field(() => String, {
    nullable: true,
    description:
      "A contract that other libraries can name in `consumes`, for example messaging/v2. Null where the capability has none.",
  })
  contract: string | null;

  @Field({ description: "True when only one library of a set may offer the capability." })
  exclusive: boolean;
}

@ObjectType("PackageRange", { simpleResolvers: true })
export class PackageRangeType {
  @Field()
  packageName: string;

  @Field(() => String, { nullable: true, description: "A NuGet version range; null means any version." })
  range: string | null;
}

@ObjectType("PackageDependency", { simpleResolvers: true })
export class PackageDependencyType extends PackageRangeType {
  @Field(() => String, {
    nullable: true,
    description: "The framework of the dependency group; null when the dependency counts on every framework.",
  })
  targetFramework: string | null;
}

@ObjectType("Vulnerability", { simpleResolvers: true })
export class VulnerabilityType {
  @Field(() => VulnerabilitySeverity)
  severity: keyof typeof VulnerabilitySeverity;

  @Field()
  advisoryUrl: string;
}

@ObjectType("LibraryDeprecation", { simpleResolvers: true })
export class LibraryDeprecationType {
  @Field(() => DeprecationReason)
  reason: keyof typeof DeprecationReason;

  @Field(() => String, {
    nullable: true,
    description: "A text for users of the version, at most 2,000 characters. Null when none was given.",
  })
  message: string | null;

  @Field(() => PackageRangeType, {
    nullable: true,
    description: "The package to use instead. Null when none was named.",
  })
  alternatePackage: PackageRangeType | null;
}

const PackageLicenseKind = enumType(packageLicenseKinds);

@ObjectType("PackageLicense", { simpleResolvers: true })
export class PackageLicenseType {
  @Field(() => PackageLicenseKind, {
    description: "Expression: an SPDX expression. File: a file of the package. Url: a page.",
  })
  kind: keyof typeof PackageLicenseKind;

  @Field({ description: "The expression, the path of the file in the package, or the address of the page." })
  value: string;
}

/** A library version as GraphQL shows it. */
@ObjectType("LibraryVersion", { implements: NodeType, simpleResolvers: true })
@NodeKey("libraryVersionId")
export class LibraryVersionType {
  @Field(() => ID)
  libraryVersionId: string;

  @Field()
  semanticVersion: string;

  @Field(() => String, {
    nullable: true,
    description: "The lowest of targetFrameworks; null when the version runs on every framework.",
  })
  targetFramework: string | null;

  @Field(() => [String], {
    description:
      "Frameworks that the version is built for, the lowest first, for example net8.0. Empty when the version runs on every framework.",
  })
  targetFrameworks: string[];

  @Field(() => LibraryVersionStatus)
  status: keyof typeof LibraryVersionStatus;

  @Field(() => ID)
  libraryId: string;

  @Field(() => [PackageDependencyType], {
    description: "Packages that the version needs, also those that the catalog does not have.",
  })
  dependencies: PackageDependencyType[];

  @Field(() => [String], { description: "Frameworks that have a dependency group." })
  dependencyGroups: string[];

  @Field(() => [PackageRangeType], { description: "Packages that must not be in one set with the version." })
  conflictsWith: PackageRangeType[];

  @Field(() => [String], {
    description: "Contracts that another library of the set has to offer, for example messaging/v2.",
  })
  consumes: string[];

  @Field(() => String, { nullable: true, description: "The newest framework of its family that the version runs on." })
  maxRuntime: string | null;

  @Field(() => [VulnerabilityType], {
    description:
      "Those that were registered with the version. Imported advisories are not among them, see packageAdvisories.",
  })
  vulnerabilities: VulnerabilityType[];

  @Field(() => LibraryDeprecationType, {
    nullable: true,
    description: "Null for a version that was never deprecated. A Retired version keeps it.",
  })
  deprecation: LibraryDeprecationType | null;

  @Field(() => PackageLicenseType, { nullable: true, description: "Null where the imported package states none." })
  license: PackageLicenseType | null;

  @Field(() => String, {
    nullable: true,
    description: "The reason why the version must not be used any more. Null until the version is Retired.",
  })
  retirementReason: string | null;

  @Field(() => String, { nullable: true, description: "The pinned package it was imported from." })
  resolvedRef: string | null;

  @Field(() => DateTime)
  createdAt: string;
}

@ObjectType("Library", { implements: NodeType, simpleResolvers: true })
@NodeKey("libraryId")
@Directive('@key(fields: "packageName")')
export class LibraryType {
  @Field(() => ID)
  libraryId: string;

  @Field({ description: "Unique in the tenant, ignoring case." })
  packageName: string;

  @Field(() => String, { nullable: true, description: "The title of the package that was imported last." })
  title: string | null;

  @Field(() => String, { nullable: true, description: "The description of the package that was imported last." })
  description: string | null;

  @Field(() => String, {
    nullable: true,
    description: "A subject, for example Billing. Lists and searches can be filtered by it. Null when none was given.",
  })
  area: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The responsible team or person. For a library that an import registered, the authors of its package. Null when none was given.",
  })
  owner: string | null;

  @Field(() => [CapabilityType], {
    description:
      "Functions by which searchLibraries finds the library, at most 100, in the order in which they were added.",
  })
  capabilities: CapabilityType[];

  @Field(() => [String], {
    description:
      "Words by which lists and searches can be filtered. For a library that an import registered, the tags of its package.",
  })
  tags: string[];

  @Field(() => LibraryStatus)
  status: keyof typeof LibraryStatus;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => [LibraryVersionType], {
    name: "allVersions",
    simple: false,
    description: "All versions in one list, the highest first. For one library; a list of libraries has pages.",
  })
  versions: LibraryVersionType[];
}

export const LibraryVersionConnection = connectionType(
  "LibraryVersion",
  () => LibraryVersionType,
  "Sorted by version, the highest first.",
);
export type LibraryVersionConnection = Connection<LibraryVersionType>;

@ObjectType("LibraryEdge", { simpleResolvers: true })
export class LibraryEdge {
  @Field()
  cursor: string;

  @Field(() => LibraryType)
  node: LibraryType;
}

@ObjectType("LibraryConnection", { simpleResolvers: true, description: "Ordered by package name." })
export class LibraryConnection implements Connection<LibraryType> {
  @Field(() => [LibraryEdge])
  edges: LibraryEdge[];

  @Field(() => PageInfo)
  pageInfo: PageInfo;

  @Field(() => [LibraryType])
  items: LibraryType[];

  @Field(() => String, { nullable: true, description: "Null on the last page." })
  nextCursor: string | null;

  @Field(() => Int, { description: "Number of libraries on all pages." })
  totalCount: number;
}

@ObjectType("ImportWarning", { simpleResolvers: true })
export class ImportWarningType {
  @Field({ description: "A text, since a release may add codes." })
  code: string;

  @Field()
  message: string;
}

@ObjectType("LibraryPackageImport", { simpleResolvers: true })
export class LibraryPackageImportType {
  @Field(() => LibraryType)
  library: LibraryType;

  @Field(() => LibraryVersionType, { description: "The version that was read from the package." })
  version: LibraryVersionType;

  @Field(() => [ImportWarningType], { description: "Parts of the package that were ignored." })
  warnings: ImportWarningType[];
}
