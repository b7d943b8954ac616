import { Directive, Field, ObjectType } from "type-graphql";

/** Relay's type PageInfo, which all subgraphs share. */
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
