import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType, Int } from "type-graphql";

@InputType({ description: "All filters must hold; none given lists every library." })
export class SearchLibrariesInput {
  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  capability?: string | null;

  @Field(() => String, { nullable: true, description: "Ignoring case; the category of an API client." })
  @Constraint({ maxLength: 100 })
  area?: string | null;

  @Field(() => String, { nullable: true, description: "Only libraries that a project of this framework can consume." })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Also lists API clients of registered providers; defaults to false.",
  })
  includeApiClients?: boolean | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 100 })
  status?: string | null;

  @Field(() => String, { nullable: true, description: "Ignoring case." })
  @Constraint({ maxLength: 100 })
  owner?: string | null;

  @Field(() => [String], { nullable: true, description: "All of them, ignoring case." })
  @Constraint({ maxItems: 50, minLength: 1, maxLength: 50 })
  tags?: string[] | null;

  @Field(() => Int, { nullable: true, description: "Defaults to 20; larger than 100 is read as 100." })
  @Constraint({ minimum: 1 })
  limit?: number | null;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 1000 })
  cursor?: string | null;
}
