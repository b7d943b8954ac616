import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("CompatibilityResolution", { simpleResolvers: true })
export class CompatibilityResolutionType {
  @Field({ description: "One of ChangeVersion, Remove, Replace, Add and ChangeRuntime." })
  action: string;

  @Field(() => String, { nullable: true })
  packageName: string | null;

  @Field(() => String, { nullable: true })
  fromVersion: string | null;

  @Field(() => String, { nullable: true })
  toVersion: string | null;

  @Field(() => String, { nullable: true, description: "With Replace: the package that replaces packageName." })
  replacedBy: string | null;

  @Field(() => String, { nullable: true })
  runtime: string | null;

  @Field({
    description: "True when the changed set was evaluated, this violation was resolved and no other one appeared.",
  })
  verified: boolean;

  @Field({ description: "True when the changed set has no violations." })
  resolvesAll: boolean;
}

@ObjectType("CompatibilityViolation", { simpleResolvers: true })
export class CompatibilityViolationType {
  @Field({
    description:
      "Name of the broken rule, for example LibraryConflictsWith. With LibrarySetNotSettled the versions of transitive dependencies change one another without end, so it is not known which versions a restore takes.",
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

@ObjectType("CompatibilityMatrix", { implements: NodeType, simpleResolvers: true })
@NodeKey("matrixId")
export class CompatibilityMatrixType {
  @Field(() => ID)
  matrixId: string;

  @Field()
  compatible: boolean;

  @Field(() => [CompatibilityViolationType])
  violations: CompatibilityViolationType[];

  @Field(() => [CompatibilityAdvisoryType], {
    description: "Notes about the set. An advisory never makes a set incompatible.",
  })
  advisories: CompatibilityAdvisoryType[];

  @Field({ description: "The target framework of the evaluation, as the request gave it." })
  runtime: string;

  @Field(() => ID, { nullable: true })
  templateVersionId: string | null;

  @Field(() => [EvaluatedLibraryType])
  libraries: EvaluatedLibraryType[];

  @Field(() => String, {
    nullable: true,
    description:
      "SHA-256 of everything in the catalog that the answer depends on. Evaluations with equal digests have equal answers.",
  })
  snapshotDigest: string | null;

  @Field(() => DateTime)
  evaluatedAt: string;
}
