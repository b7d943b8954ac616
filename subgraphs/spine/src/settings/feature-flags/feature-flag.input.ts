import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { flagOperators, type Operator, type Stickiness, stickinesses } from "@factory/schema/vocabularies/settings";
import { Field, InputType, Int } from "type-graphql";

@InputType({
  description:
    "A condition on one attribute of the evaluation context. The operators and their meaning are those of Unleash.",
})
export class FeatureFlagRuleInput {
  @Field({ description: "The name of a member of the evaluation context, for example targetingKey or country." })
  @Constraint({ minLength: 1, maxLength: 100, pattern: "\\S" })
  attribute: string;

  @Field(() => enumType(flagOperators), {
    description:
      "The DATE operators of the attribute currentTime compare the time of the evaluation, unless the context has this attribute.",
  })
  operator: Operator;

  @Field(() => [String], {
    description:
      "One of them has to match. NUM, DATE (RFC 3339) and SEMVER (semantic version without a leading v) take exactly one.",
  })
  @Constraint({ minItems: 1, maxItems: 500, minLength: 1, maxLength: 200 })
  values: string[];

  @Field(() => Boolean, { nullable: true, description: "True: the rule matches where the operator does not." })
  inverted?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "True: the STR operators ignore case." })
  caseInsensitive?: boolean | null;
}

@InputType({ description: "The whole flag. A member that is left out gets its default." })
export class SetFeatureFlagInput {
  @Field({ description: "False switches the flag off for everybody, whatever the rules and the percentage say." })
  enabled: boolean;

  @Field(() => Int, {
    nullable: true,
    description: "The share of contexts without a matching rule that get the flag, in percent. Default: 100.",
  })
  @Constraint({ minimum: 0, maximum: 100 })
  rolloutPercentage?: number | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 1000 })
  description?: string | null;

  @Field(() => enumType(stickinesses), {
    nullable: true,
    description: "The id by which the share is chosen. The default is targetingKey.",
  })
  stickiness?: Stickiness | null;

  @Field(() => [FeatureFlagRuleInput], {
    nullable: true,
    description: "A context that one of them matches gets the flag, whatever the percentage is. Default: none.",
  })
  @Constraint({ maxItems: 50 })
  rules?: FeatureFlagRuleInput[] | null;
}

@InputType()
export class FeatureFlagFilterInput {
  @Field(() => Boolean, { nullable: true, description: "Whether the flag is enabled." })
  enabled?: boolean | null;

  @Field(() => String, { nullable: true, description: "The beginning of the key." })
  @Constraint({ maxLength: 100 })
  prefix?: string | null;
}
