import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { GraphQLJSON, GraphQLJSONObject } from "graphql-scalars";

const isoForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** The scalar DateTime: ISO 8601 in UTC with milliseconds. Stored results of mutations already hold it as text. */
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

/** The scalar JSONObject: any JSON object. */
export const JsonObject = GraphQLJSONObject;
/** The scalar JSON: any JSON value. */
export const Json = GraphQLJSON;
