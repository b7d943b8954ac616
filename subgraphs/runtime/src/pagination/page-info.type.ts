import { Directive, Field, ObjectType } from "type-graphql";

/** Relay's page, the same type in every subgraph. */
@ObjectType("PageInfo", { simpleResolvers: true })
@Directive("@shareable")
export class PageInfo {
  @Field()
  hasNextPage: boolean;

  @Field()
  hasPreviousPage: boolean;

  @Field(() => String, { nullable: true })
  startCursor: string | null;

  @Field(() => String, { nullable: true })
  endCursor: string | null;
}
