import { Arg } from "type-graphql";
import { Constraint } from "../input-validation/constraint.js";

/** A list's argument `sort`. Its description lists the members, and its constraint the allowed values. */
export function SortArg(list: { readonly description: string; readonly sorts: readonly string[] }): ParameterDecorator {
  const argument = Arg("sort", () => String, { nullable: true, description: list.description }) as ParameterDecorator;
  const values = Constraint({ values: list.sorts });
  return (target, property, index) => {
    argument(target, property, index);
    values(target, property as string, index);
  };
}
