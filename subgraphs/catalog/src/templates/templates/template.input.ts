import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";
import { TemplateStatus } from "./template.type.js";

@InputType()
export class RegisterTemplateInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  title?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 4000 })
  description?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  category?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "Words by which lists can be filtered and searches find the template. A repeated word is kept once.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 50 })
  tags?: string[] | null;
}

@InputType({ description: "A member that is left out stays as it is. Null removes a value." })
export class UpdateTemplateInput {
  @Field(() => String, { nullable: true, description: "Unique in the tenant, ignoring case. It cannot be removed." })
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  title?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 4000 })
  description?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  category?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "The whole new list. Null and an empty list both remove all tags.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 50 })
  tags?: string[] | null;
}

@InputType({ description: "A template must match all given members." })
export class TemplateFilterInput {
  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  category?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 50 })
  tag?: string | null;

  @Field(() => TemplateStatus, { nullable: true })
  status?: keyof typeof TemplateStatus | null;

  @Field(() => String, { nullable: true, description: "Ignores case." })
  @Constraint({ maxLength: 200 })
  namePrefix?: string | null;
}
