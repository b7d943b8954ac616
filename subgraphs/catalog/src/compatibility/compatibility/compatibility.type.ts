import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import {
  type CompatibilityAction,
  type CompatibilityRule,
  compatibilityActions,
  compatibilityRules,
} from "@factory/schema/vocabularies/compatibility";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("CompatibilityResolution", { simpleResolvers: true })
export class CompatibilityResolutionType {
  @Field(() => enumType(compatibilityActions))
  action: CompatibilityAction;

  @Field(() => String, {
    nullable: true,
    description: "Null with ChangeRuntime, and where ChangeVersion means the template.",
  })
  packageName: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The version that the change takes away. Null with Add and ChangeRuntime, and where Remove takes several versions away.",
  })
  fromVersion: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The version after the change, with Replace of the package `replacedBy`. Null with ChangeRuntime, and where Remove takes the whole package away.",
  })
  toVersion: string | null;

  @Field(() => String, { nullable: true, description: "With Replace: the package that replaces packageName." })
  replacedBy: string | null;

  @Field(() => String, {
    nullable: true,
    description: "With ChangeRuntime: the target framework to use, for example net8.0. Null with the other actions.",
  })
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
  @Field(() => enumType(compatibilityRules), { description: "The broken rule." })
  rule: CompatibilityRule;

  @Field()
  detail: string;

  @Field()
  suggestedResolution: string;

  @Field(() => CompatibilityResolutionType, {
    nullable: true,
    description: "The change in suggestedResolution, as values. Null when no single change of the set was found.",
  })
  resolution: CompatibilityResolutionType | null;
}

@ObjectType("CompatibilityAdvisory", { simpleResolvers: true })
export class CompatibilityAdvisoryType {
  @Field({ description: "A text, since a release may add codes." })
  code: string;

  @Field()
  detail: string;

  @Field(() => String, { nullable: true, description: "Null for a note about the template version or the runtime." })
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

  @Field(() => [CompatibilityViolationType], {
    description: "Ordered by rule, then by package. Empty exactly when the set is compatible.",
  })
  violations: CompatibilityViolationType[];

  @Field(() => [CompatibilityAdvisoryType], {
    description: "Notes about the set. An advisory never makes a set incompatible.",
  })
  advisories: CompatibilityAdvisoryType[];

  @Field({ description: "The target framework of the evaluation, as the request gave it." })
  runtime: string;

  @Field(() => ID, { nullable: true, description: "Null when the set was evaluated without a template version." })
  templateVersionId: string | null;

  @Field(() => [EvaluatedLibraryType], { description: "The set as the request gave it, in its order." })
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
