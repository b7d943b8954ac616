import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType()
export class RegisterTemplateInput {
  @Field()
  @Constraint({ minLength: 1, maxLength: 200, pattern: "\\S" })
  name: string;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 200 })
  title?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  category?: string | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => [String], { nullable: true })
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

  @Field(() => String, { nullable: true, description: "Ignores case." })
  @Constraint({ maxLength: 200 })
  namePrefix?: string | null;
}
