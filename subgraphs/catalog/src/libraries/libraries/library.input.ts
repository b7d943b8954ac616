import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { deprecationReasons, type LibraryStatus, libraryStatuses } from "@factory/schema/vocabularies/libraries";
import { Field, ID, InputType } from "type-graphql";
import { VulnerabilitySeverity } from "../advisories/advisory.type.js";

@InputType()
export class CapabilityInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  contract?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True when only one library of a set may offer the capability.",
  })
  exclusive?: boolean | null;
}

@InputType({ description: "Capabilities are told apart by their names. Those that are not named stay as they are." })
export class ChangeLibraryCapabilitiesInput {
  @Field(() => [CapabilityInput], {
    nullable: true,
    description: "Adds a capability, or replaces the one of this name.",
  })
  @Constraint({ maxItems: 100 })
  set?: CapabilityInput[] | null;

  @Field(() => [String], { nullable: true, description: "The names of capabilities that the library has." })
  @Constraint({ maxItems: 100, minLength: 1, maxLength: 100 })
  remove?: string[] | null;
}

@InputType({ description: "A package and a NuGet version range. Without a range, every version is meant." })
export class PackageRangeInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  packageName: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  range?: string | null;
}

@InputType()
export class PackageDependencyInput extends PackageRangeInput {
  @Field(() => String, {
    nullable: true,
    description:
      "The framework of the dependency group. For a project only the group with the nearest framework counts.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework?: string | null;
}

@InputType()
export class VulnerabilityInput {
  @Field(() => VulnerabilitySeverity)
  severity: keyof typeof VulnerabilitySeverity;

  @Field()
  @Constraint({ maxLength: 2048, format: "iri", pattern: "^https?://" })
  advisoryUrl: string;
}

/** Why a version is deprecated, and what to use instead. */
@InputType()
export class DeprecateLibraryVersionInput {
  // a text, since gRPC and commands bring one too
  @Field(() => enumType(deprecationReasons))
  reason: string;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 2000 })
  message?: string | null;

  @Field(() => PackageRangeInput, { nullable: true, description: "The package to use instead." })
  alternatePackage?: PackageRangeInput | null;
}

/** Why a version is recalled. */
@InputType()
export class RetireLibraryVersionInput {
  @Field({ description: "The reason why the version must not be used any more." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason: string;
}

@InputType()
export class LibraryVersionInput {
  @Field({ description: "A NuGet version, for example 1.2.3 or 1.2.3.4-beta.1." })
  @Constraint({ minLength: 1, maxLength: 100 })
  semanticVersion: string;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Frameworks that the version is built for, for example net8.0. `targetFramework` counts as one of them. Without both, the version runs on every framework.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 100 })
  targetFrameworks?: string[] | null;

  @Field(() => [PackageDependencyInput], {
    nullable: true,
    description: "Packages that the version needs. The catalog does not have to know them.",
  })
  @Constraint({ maxItems: 500 })
  dependencies?: PackageDependencyInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description:
      "Frameworks that have a dependency group. A group without dependencies means that the version needs nothing there.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 100 })
  dependencyGroups?: string[] | null;

  @Field(() => [PackageRangeInput], {
    nullable: true,
    description: "Packages that must not be in one set with the version. The catalog does not have to know them.",
  })
  @Constraint({ maxItems: 200 })
  conflictsWith?: PackageRangeInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Contracts that another library of the set has to offer, for example messaging/v2.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 100 })
  consumes?: string[] | null;

  @Field(() => String, { nullable: true, description: "The newest framework of its family that the version runs on." })
  @Constraint({ minLength: 1, maxLength: 100 })
  maxRuntime?: string | null;

  @Field(() => [VulnerabilityInput], {
    nullable: true,
    description: "Known vulnerabilities, which evaluations and dependency scans report.",
  })
  @Constraint({ maxItems: 50 })
  vulnerabilities?: VulnerabilityInput[] | null;

  @Field(() => DeprecateLibraryVersionInput, {
    nullable: true,
    description: "With a deprecation the version is Deprecated from the start.",
  })
  deprecation?: DeprecateLibraryVersionInput | null;
}

@InputType()
export class RegisterLibraryVersionInput extends LibraryVersionInput {
  @Field(() => Boolean, {
    nullable: true,
    description:
      "Defaults to true. With false the version stays Registered, and searches and evaluations ignore it until publishLibraryVersion.",
  })
  publish?: boolean | null;
}

/** The package to import. */
@InputType()
export class ImportLibraryPackageInput {
  @Field({ description: "A .NET package: nupkg+https://…, or nuget:Id@Version for a package of a configured feed." })
  @Constraint({ minLength: 1, maxLength: 2048 })
  sourceRef: string;

  @Field(() => ID, {
    nullable: true,
    description: "Defaults to the library with the name of the package, which is registered when it is missing.",
  })
  libraryId?: string | null;
}

@InputType({ description: "A library must meet all given conditions. Case is ignored, except in tags." })
export class LibraryFilterInput {
  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  area?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 50 })
  tag?: string | null;

  @Field(() => enumType(libraryStatuses), { nullable: true })
  status?: LibraryStatus | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  packageNamePrefix?: string | null;
}

@InputType()
export class RegisterLibraryInput {
  @Field({ description: "A NuGet package ID." })
  @Constraint({ minLength: 1, maxLength: 100 })
  packageName: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  area?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => [CapabilityInput], {
    nullable: true,
    description: "Functions of the library, by which searchLibraries finds it.",
  })
  @Constraint({ maxItems: 100 })
  capabilities?: CapabilityInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Words by which lists and searches can be filtered. A repeated word is kept once.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 50 })
  tags?: string[] | null;

  @Field(() => [LibraryVersionInput], {
    nullable: true,
    description: "Existing versions of the library. They are Published at once.",
  })
  @Constraint({ maxItems: 200 })
  versions?: LibraryVersionInput[] | null;

  @Field(() => [PackageRangeInput], {
    nullable: true,
    description: "Dependencies that apply to every version in this request.",
  })
  @Constraint({ maxItems: 200 })
  dependencies?: PackageRangeInput[] | null;

  @Field(() => [PackageRangeInput], {
    nullable: true,
    description: "Conflicts that apply to every version in this request.",
  })
  @Constraint({ maxItems: 200 })
  conflictsWith?: PackageRangeInput[] | null;
}
