import { enumSchema } from "@factory/runtime/input-validation/enum-schema";
import { constraintOf, type JsonSchema } from "@factory/runtime/input-validation/input-schema";
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type SelectionSetNode,
} from "graphql";

/**
 * The JSON Schema of a root field's result, so that the documented response body always is the operation's body. It has
 * no null, because a null is 404 in REST.
 */
export const responseSchema = (type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema =>
  bareSchema(getNullableType(type), selection);

function fieldSchema(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
  if (isNonNullType(type)) return bareSchema(type.ofType, selection);
  const schema = bareSchema(type, selection);
  const kind = schema["type"];
  if (typeof kind !== "string") return schema;
  const values = schema["enum"];
  return { ...schema, type: [kind, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function bareSchema(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
  if (isListType(type)) return { type: "array", items: fieldSchema(type.ofType, selection) };
  if (isObjectType(type)) return objectSchema(type, selection);
  if (isEnumType(type)) return enumSchema(type);
  if (isScalarType(type)) return { ...(scalarSchemas[type.name] ?? {}) };
  throw new Error(`A response body cannot be of type ${String(type)}`);
}

const scalarSchemas: Record<string, JsonSchema | undefined> = {
  ID: { type: "string" },
  String: { type: "string" },
  Boolean: { type: "boolean" },
  Int: { type: "integer" },
  Float: { type: "number" },
  DateTime: { type: "string", format: "date-time" },
  JSONObject: { type: "object" },
};

function objectSchema(type: GraphQLObjectType, selection: SelectionSetNode | undefined): JsonSchema {
  const members = (selection?.selections ?? []).map((node) => {
    if (node.kind !== Kind.FIELD) throw new Error(`Operations of the facade select fields only, not ${node.kind}`);
    return [node.alias?.value ?? node.name.value, memberSchema(type, node)] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(members),
    // every selected field is present, possibly as null
    required: members.map(([name]) => name),
  };
}

function memberSchema(type: GraphQLObjectType, node: FieldNode): JsonSchema {
  const field = type.getFields()[node.name.value];
  if (!field) throw new Error(`${type.name} has no field ${node.name.value}`);
  const schema = withValues(fieldSchema(field.type, node.selectionSet), constraintOf(field.astNode)["enum"]);
  return field.description ? { ...schema, description: field.description } : schema;
}

/** Adds the possible values to the schema for a text, or for a list's items. */
function withValues(schema: JsonSchema, values: unknown): JsonSchema {
  if (!Array.isArray(values)) return schema;
  const { type, items } = schema as { type?: string | string[]; items?: JsonSchema };
  if (items) return { ...schema, items: withValues(items, values) };
  return { ...schema, enum: Array.isArray(type) ? [...values, null] : values };
}
