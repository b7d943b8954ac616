import { ArgsType, Field, Int } from "type-graphql";

/** A list's arguments for one page, as Relay has them. */
@ArgsType()
export class PageArguments {
  @Field(() => Int, {
    nullable: true,
    description: "The size of the page that begins after `after`, or at the beginning: 1 to 200. Default: 50.",
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: "A cursor: the page begins after its item." })
  after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The size of the page that ends before `before`, or at the end: 1 to 200. Not together with `first`.",
  })
  last?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "A cursor: the page ends before its item. Not together with `first` and `after`.",
  })
  before?: string | null;
}
