import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type { FlagChange, Operator, Stickiness } from "@factory/schema/vocabularies/settings";
import { flagChanges, flagOperators, stickinesses } from "@factory/schema/vocabularies/settings";
import { Directive, Field, ID, Int, ObjectType } from "type-graphql";

const FeatureFlagStickiness = enumType(stickinesses);

const FeatureFlagChange = enumType(flagChanges);

@ObjectType("FeatureFlagRule", {
  simpleResolvers: true,
  description: "A condition on one attribute of the evaluation context.",
})
class FeatureFlagRuleType {
  @Field()
  attribute: string;

  @Field(() => enumType(flagOperators))
  operator: Operator;

  @Field(() => [String], {
    description:
      "The values with which the operator compares the attribute: 1 to 500. NUM, DATE (RFC 3339) and SEMVER have exactly one.",
  })
  values: readonly string[];

  @Field({ description: "The rule matches where the operator does not." })
  inverted: boolean;

  @Field({ description: "The STR operators ignore case." })
  caseInsensitive: boolean;
}

@ObjectType("FeatureFlagSettings", { simpleResolvers: true })
class FlagSettingsType {
  @Field(() => ID)
  key: string;

  @Field()
  enabled: boolean;

  @Field(() => Int, { description: "The share of contexts without a matching rule that get the flag, in percent." })
  rolloutPercentage: number;

  @Field(() => String, {
    nullable: true,
    description: "A note for people, at most 1,000 characters. Null if the flag has none.",
  })
  description: string | null;

  @Field(() => FeatureFlagStickiness, { description: "The id by which the share is chosen." })
  stickiness: Stickiness;

  @Field(() => [FeatureFlagRuleType], { description: "A context that one of them matches gets the flag." })
  rules: readonly FeatureFlagRuleType[];

  @Field(() => Int, { description: "Rises by one with each change. It is also the entity tag." })
  version: number;
}

/** The members that a flag and the answer to its change have. */
@ObjectType("FeatureFlagMembers", { simpleResolvers: true })
class FeatureFlagMembers extends FlagSettingsType {
  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime)
  updatedAt: string;

  @Field({ description: "The subject of the token that changed it last." })
  updatedBy: string;
}

@ObjectType("FeatureFlag", {
  implements: NodeType,
  simpleResolvers: true,
  description: "A boolean flag: who gets it by rules, and which share of all others gets it.",
})
@Directive('@key(fields: "id")')
export class FeatureFlagType extends FeatureFlagMembers {}

@ObjectType("FeatureFlagSetting", { simpleResolvers: true })
export class SetFeatureFlagType extends FeatureFlagMembers {
  @Field({ description: "False if the flag existed already." })
  created: boolean;
}

@ObjectType("FeatureFlagVersion", {
  simpleResolvers: true,
  description: "The state of a flag after one change of it. The version of a deletion shows the deleted flag.",
})
export class FeatureFlagVersionType extends FlagSettingsType {
  @Field(() => FeatureFlagChange)
  change: FlagChange;

  @Field(() => DateTime)
  changedAt: string;

  @Field({ description: "The subject of the token that made the change." })
  changedBy: string;
}

export const FeatureFlagConnection = connectionType("FeatureFlag", () => FeatureFlagType, "In the order of the keys.");
export type FeatureFlagConnection = Connection<FeatureFlagType>;

export const FeatureFlagVersionConnection = connectionType(
  "FeatureFlagVersion",
  () => FeatureFlagVersionType,
  "The newest version comes first.",
);
export type FeatureFlagVersionConnection = Connection<FeatureFlagVersionType>;
