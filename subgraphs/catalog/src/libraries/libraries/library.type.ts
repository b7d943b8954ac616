import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import type { Connection } from "@factory/runtime/pagination/page";
import { PageInfo } from "@factory/runtime/pagination/page-info.type";
import { Directive, Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { VulnerabilitySeverity } from "../advisories/advisory.type.js";
import { DeprecationReason, type DeprecationReasonName } from "../deprecations/deprecation-reason.js";

/** A library's states. */
export const LibraryStatus = { Active: "Active" } as const;
registerEnumType(LibraryStatus, { name: "LibraryStatus" });

const LibraryVersionStatus = {
  Registered: "Registered",
  Published: "Published",
  Deprecated: "Deprecated",
  Retired: "Retired",
} as const;
registerEnumType(LibraryVersionStatus, { name: "LibraryVersionStatus" });

registerEnumType(DeprecationReason, { name: "DeprecationReason" });

@ObjectType("Capability", { simpleResolvers: true })
export class CapabilityType {
  @Field()
  name: string;

  @Field(() => String, { nullable: true })
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
  reason: DeprecationReasonName;

  @Field(() => String, { nullable: true })
  message: string | null;

  @Field(() => PackageRangeType, { nullable: true })
  alternatePackage: PackageRangeType | null;
}

const PackageLicenseKind = { Expression: "Expression", File: "File", Url: "Url" } as const;
registerEnumType(PackageLicenseKind, { name: "PackageLicenseKind" });

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

  @Field(() => [String])
  targetFrameworks: string[];

  @Field(() => LibraryVersionStatus)
  status: keyof typeof LibraryVersionStatus;

  @Field(() => ID)
  libraryId: string;

  @Field(() => [PackageDependencyType])
  dependencies: PackageDependencyType[];

  @Field(() => [String], { description: "Frameworks that have a dependency group." })
  dependencyGroups: string[];

  @Field(() => [PackageRangeType])
  conflictsWith: PackageRangeType[];

  @Field(() => [String], {
    description: "Contracts that another library of the set has to offer, for example messaging/v2.",
  })
  consumes: string[];

  @Field(() => String, { nullable: true, description: "The newest framework of its family that the version runs on." })
  maxRuntime: string | null;

  @Field(() => [VulnerabilityType])
  vulnerabilities: VulnerabilityType[];

  @Field(() => LibraryDeprecationType, { nullable: true })
  deprecation: LibraryDeprecationType | null;

  @Field(() => PackageLicenseType, { nullable: true, description: "Null where the imported package states none." })
  license: PackageLicenseType | null;

  @Field(() => String, { nullable: true })
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

  @Field(() => String, { nullable: true })
  area: string | null;

  @Field(() => String, { nullable: true })
  owner: string | null;

  @Field(() => [CapabilityType])
  capabilities: CapabilityType[];

  @Field(() => [String])
  tags: string[];

  @Field(() => LibraryStatus)
  status: keyof typeof LibraryStatus;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => [LibraryVersionType], { description: "All versions, the highest first." })
  versions: LibraryVersionType[];
}

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
  @Field()
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
