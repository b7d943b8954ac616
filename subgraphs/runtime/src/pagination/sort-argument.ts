import { Arg } from "type-graphql";

/** The argument `sort` of a list, which says what the list can be sorted by. */
export const SortArg = (list: { readonly description: string }): ReturnType<typeof Arg> =>
  Arg("sort", () => String, { nullable: true, description: list.description });
