import { Directive, Field, ObjectType } from "type-graphql";

/** The type PageInfo of Relay, shared by all subgraphs. */
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
