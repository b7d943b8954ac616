import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class CapabilityInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  contract?: string | null;
}

@InputType({ description: "A package and the NuGet range of its versions; no range means any version." })
export class PackageRangeInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 100 })
  packageName: string;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 200 })
  range?: string | null;
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

  @Field(() => [PackageRangeInput], { nullable: true })
  @Constraint({ maxItems: 200 })
  dependencies?: PackageRangeInput[] | null;

  @Field(() => [PackageRangeInput], { nullable: true })
  @Constraint({ maxItems: 200 })
  conflictsWith?: PackageRangeInput[] | null;
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
