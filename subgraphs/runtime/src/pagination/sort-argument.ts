import { Arg } from "type-graphql";

/** The argument `sort` of a list. Its description lists the allowed values. */
export const SortArg = (list: { readonly description: string }): ReturnType<typeof Arg> =>
  Arg("sort", () => String, { nullable: true, description: list.description });
