import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";
import { LibraryStatus, VulnerabilitySeverity } from "./library.type.js";

@InputType()
export class CapabilityInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  contract?: string | null;

  @Field(() => Boolean, { nullable: true, description: "No two libraries of a set may offer it." })
  exclusive?: boolean | null;
}

@InputType({ description: "A package and the NuGet range of its versions; no range means any version." })
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
    description: "The dependency group; of the groups only the nearest to a project's framework counts.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework?: string | null;
}

@InputType()
export class VulnerabilityInput {
  @Field(() => VulnerabilitySeverity)
  severity: keyof typeof VulnerabilitySeverity;

  @Field()
  @Constraint({ maxLength: 2048, format: "uri", pattern: "^https?://" })
  advisoryUrl: string;
}

@InputType()
export class DeprecateLibraryVersionInput {
  @Field({ description: "Legacy, CriticalBugs or Other." })
  @Constraint({ maxLength: 50 })
  reason: string;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 2000 })
  message?: string | null;

  @Field(() => PackageRangeInput, { nullable: true, description: "What to use instead." })
  alternatePackage?: PackageRangeInput | null;
}

@InputType()
export class RetireLibraryVersionInput {
  @Field({ description: "Why nobody may use it any more." })
  @Constraint({ minLength: 1, maxLength: 2000 })
  reason: string;
}

@InputType()
export class LibraryVersionInput {
  @Field({ description: "A NuGet version, e.g. 1.2.3 or 1.2.3.4-beta.1" })
  @Constraint({ minLength: 1, maxLength: 100 })
  semanticVersion: string;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework?: string | null;

  @Field(() => [String], { nullable: true })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 100 })
  targetFrameworks?: string[] | null;

  @Field(() => [PackageDependencyInput], { nullable: true })
  @Constraint({ maxItems: 500 })
  dependencies?: PackageDependencyInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Frameworks with a dependency group of their own, so that one may be empty.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 100 })
  dependencyGroups?: string[] | null;

  @Field(() => [PackageRangeInput], { nullable: true })
  @Constraint({ maxItems: 200 })
  conflictsWith?: PackageRangeInput[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "Contracts that another library of a set has to offer, e.g. messaging/v2",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 100 })
  consumes?: string[] | null;

  @Field(() => String, { nullable: true, description: "The last framework of its family that it runs on." })
  @Constraint({ minLength: 1, maxLength: 100 })
  maxRuntime?: string | null;

  @Field(() => [VulnerabilityInput], { nullable: true })
  @Constraint({ maxItems: 50 })
  vulnerabilities?: VulnerabilityInput[] | null;

  @Field(() => DeprecateLibraryVersionInput, { nullable: true, description: "It then enters Deprecated." })
  deprecation?: DeprecateLibraryVersionInput | null;
}

@InputType()
export class RegisterLibraryVersionInput extends LibraryVersionInput {
  @Field(() => Boolean, {
    nullable: true,
    description: "False: it stays Registered, unknown to searches and compatibility, until publishLibraryVersion.",
  })
  publish?: boolean | null;
}

@InputType()
export class ImportLibraryPackageInput {
  @Field({ description: "A .NET package: nupkg+https://…, or nuget:Id@Version of a configured feed." })
  @Constraint({ minLength: 1, maxLength: 2048 })
  sourceRef: string;

  @Field(() => ID, { nullable: true, description: "Defaults to the library of that name, registered when missing." })
  libraryId?: string | null;
}

@InputType({ description: "All that are given must hold; texts ignore case, tags do not." })
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

  @Field(() => LibraryStatus, { nullable: true })
  status?: keyof typeof LibraryStatus | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  packageNamePrefix?: string | null;
}

@InputType()
export class RegisterLibraryInput {
  @Field({ description: "A NuGet package id." })
  @Constraint({ minLength: 1, maxLength: 100 })
  packageName: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  area?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => [CapabilityInput], { nullable: true })
  @Constraint({ maxItems: 100 })
  capabilities?: CapabilityInput[] | null;

  @Field(() => [String], { nullable: true })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 50 })
  tags?: string[] | null;

  @Field(() => [LibraryVersionInput], {
    nullable: true,
    description: "Versions that exist already; they enter Published.",
  })
  @Constraint({ maxItems: 200 })
  versions?: LibraryVersionInput[] | null;

  @Field(() => [PackageRangeInput], { nullable: true, description: "Dependencies of every version of this request." })
  @Constraint({ maxItems: 200 })
  dependencies?: PackageRangeInput[] | null;

  @Field(() => [PackageRangeInput], { nullable: true, description: "Conflicts of every version of this request." })
  @Constraint({ maxItems: 200 })
  conflictsWith?: PackageRangeInput[] | null;
}
