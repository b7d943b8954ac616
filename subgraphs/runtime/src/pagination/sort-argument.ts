import { Arg } from "type-graphql";

/** A list's argument `sort`. Its description lists the allowed values. */
export const SortArg = (list: { readonly description: string }): ReturnType<typeof Arg> =>
  Arg("sort", () => String, { nullable: true, description: list.description });
