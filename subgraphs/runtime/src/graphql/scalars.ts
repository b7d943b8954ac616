import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { GraphQLJSON, GraphQLJSONObject } from "graphql-scalars";
import { foreignNumber, isKeptNumber } from "../json/kept-numbers.js";

const isoForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** The scalar DateTime: ISO 8601 in UTC with milliseconds. Mutations' stored results already hold it as text. */
export const DateTime = new GraphQLScalarType({
  name: "DateTime",
  description: "A point in time in UTC with milliseconds, as ISO 8601.",
  serialize(value) {
    if (value instanceof Date) return value.toISOString();
    if (typeof value === "string" && isoForm.test(value)) return value;
    throw new GraphQLError("DateTime cannot represent this value");
  },
  parseValue: parseDateTime,
  parseLiteral: (node: ValueNode) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

function parseDateTime(value: unknown): Date {
  const time = typeof value === "string" && isoForm.test(value) ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) throw new GraphQLError("DateTime must be an ISO 8601 timestamp");
  return time;
}

type Variables = Parameters<GraphQLScalarType["parseLiteral"]>[1];

/** The scalar JSONObject: any JSON object, with its numbers as they were written. */
export const JsonObject = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  serialize: jsonObject,
  parseValue: jsonObject,
  parseLiteral: (node, variables) => jsonObject(jsonLiteral(node, variables)),
});

/** The scalar JSON: any JSON value, with its numbers as they were written. */
export const Json = new GraphQLScalarType({ ...GraphQLJSON.toConfig(), parseLiteral: jsonLiteral });

function jsonObject(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isKeptNumber(value))
    throw new GraphQLError("JSONObject cannot represent a value that is not an object");
  return value;
}

function jsonLiteral(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return foreignNumber(node.value);
    case Kind.LIST:
      return node.values.map((item) => jsonLiteral(item, variables));
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, jsonLiteral(value, variables)]));
    default:
      return GraphQLJSON.parseLiteral(node, variables);
  }
}
