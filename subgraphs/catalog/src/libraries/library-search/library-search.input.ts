import { enumType } from "@factory/runtime/graphql/enum-type";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { type LibraryStatus, libraryStatuses } from "@factory/schema/vocabularies/libraries";
import { Field, InputType, Int } from "type-graphql";

@InputType({ description: "A result must meet all given filters. Without filters every library is listed." })
export class SearchLibrariesInput {
  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  capability?: string | null;

  @Field(() => String, { nullable: true, description: "Compared ignoring case. For an API client it is the category." })
  @Constraint({ maxLength: 100 })
  area?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Lists only libraries that a project of this framework can use.",
  })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "With true the API clients of registered providers are listed too. Defaults to false.",
  })
  includeApiClients?: boolean | null;

  @Field(() => enumType(libraryStatuses), { nullable: true })
  status?: LibraryStatus | null;

  @Field(() => String, { nullable: true, description: "Compared ignoring case." })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: "The result must have all of these tags. Compared ignoring case.",
  })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 50 })
  tags?: string[] | null;

  @Field(() => Int, { nullable: true, description: "Defaults to 20. A limit above 100 is read as 100." })
  @Constraint({ minimum: 1 })
  limit?: number | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 1000 })
  cursor?: string | null;
}
