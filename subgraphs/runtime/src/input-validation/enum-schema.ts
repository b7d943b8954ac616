import type { GraphQLEnumType } from "graphql";

/** The JSON Schema for an enum: its values, and their descriptions for readers. */
export function enumSchema(type: GraphQLEnumType): Record<string, unknown> {
  const values = type.getValues();
  const described = values.filter(({ description }) => description);
  return {
    type: "string",
    enum: values.map(({ name }) => name),
    ...(described.length > 0
      ? { "x-enum-descriptions": Object.fromEntries(described.map(({ name, description }) => [name, description])) }
      : {}),
  };
}
