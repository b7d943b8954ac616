import { type GraphQLSchema, isEnumType } from "graphql";

/** The graphql-js 16 phrases for a value that an enum does not have, after the caller's value was removed. */
const phrase = /(?:(?<=The value does not exist in )"(\w+)" enum|Enum "(\w+)" cannot represent non-\w+ value)\..*$/;

/** Names the values of an enum in a graphql-js message about another value. A hint at similar values is redundant then. */
export function withAllowedValues(message: string, schema: GraphQLSchema): string {
  return message.replace(phrase, (text, missedEnum?: string, otherEnum?: string) => {
    const type = schema.getType(missedEnum ?? otherEnum ?? "");
    if (!isEnumType(type)) return text;
    const values = type.getValues().map(({ name }) => name);
    return `${text.slice(0, text.indexOf("."))}. Must be one of ${values.join(", ")}.`;
  });
}
