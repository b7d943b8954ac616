import { DateTime } from "@factory/runtime/graphql/scalars";
import { Directive, Field, ID, ObjectType } from "type-graphql";

@ObjectType("CompatibilityResolution", { simpleResolvers: true })
export class CompatibilityResolutionType {
  @Field({ description: "ChangeVersion, Remove, Replace, Add or ChangeRuntime." })
  action: string;

  @Field(() => String, { nullable: true })
  packageName: string | null;

  @Field(() => String, { nullable: true })
  fromVersion: string | null;

  @Field(() => String, { nullable: true })
  toVersion: string | null;

  @Field(() => String, { nullable: true, description: "The package that comes in for packageName, for Replace." })
  replacedBy: string | null;

  @Field(() => String, { nullable: true })
  runtime: string | null;

  @Field({ description: "The changed set was evaluated again: this violation is gone and no other appeared." })
  verified: boolean;

  @Field({ description: "The changed set has no violation left." })
  resolvesAll: boolean;
}

@ObjectType("CompatibilityViolation", { simpleResolvers: true })
export class CompatibilityViolationType {
  @Field({
    description:
      "Name of the broken rule, e.g. LibraryConflictsWith. LibrarySetNotSettled: versions that the set brings in change one another without an end, so that what a restore takes is not known.",
  })
  rule: string;

  @Field()
  detail: string;

  @Field()
  suggestedResolution: string;

  @Field(() => CompatibilityResolutionType, { nullable: true })
  resolution: CompatibilityResolutionType | null;
}

@ObjectType("CompatibilityAdvisory", { simpleResolvers: true })
export class CompatibilityAdvisoryType {
  @Field()
  code: string;

  @Field()
  detail: string;

  @Field(() => String, { nullable: true })
  packageName: string | null;
}

@ObjectType("EvaluatedLibrary", { simpleResolvers: true })
export class EvaluatedLibraryType {
  @Field()
  packageName: string;

  @Field()
  version: string;
}

@ObjectType("CompatibilityMatrix", { simpleResolvers: true })
@Directive('@key(fields: "matrixId")')
export class CompatibilityMatrixType {
  @Field(() => ID)
  matrixId: string;

  @Field()
  compatible: boolean;

  @Field(() => [CompatibilityViolationType])
  violations: CompatibilityViolationType[];

  @Field(() => [CompatibilityAdvisoryType], { description: "Worth knowing; never makes a set incompatible." })
  advisories: CompatibilityAdvisoryType[];

  @Field({ description: "The framework that was evaluated for, as it was given." })
  runtime: string;

  @Field(() => ID, { nullable: true })
  templateVersionId: string | null;

  @Field(() => [EvaluatedLibraryType])
  libraries: EvaluatedLibraryType[];

  @Field(() => String, {
    nullable: true,
    description: "SHA-256 of what the catalog held of these libraries then: an equal one gives an equal answer.",
  })
  snapshotDigest: string | null;

  @Field(() => DateTime)
  evaluatedAt: string;
}
