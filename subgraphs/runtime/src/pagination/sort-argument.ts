import { Arg } from "type-graphql";

/** A list's argument `sort`. Its description lists the allowed values. */
export const SortArg = (list: { readonly description: string }): ReturnType<typeof Arg> =>
  Arg("sort", () => String, { nullable: true, description: list.description });

/** The values that the description of an argument `sort` allows, ascending and descending. */
export function sortsIn(description: string): string[] {
  const names = /^The order of the list: (.*?)\. Put /.exec(description)?.[1]?.split(", ") ?? [];
  return names.flatMap((name) => [name, `-${name}`]);
}
