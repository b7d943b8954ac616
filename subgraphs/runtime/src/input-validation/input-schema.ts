import {
  type DirectiveNode,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  valueFromASTUntyped,
} from "graphql";
import { enumSchema } from "./enum-schema.js";

/** A JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>;

/** An input type's JSON Schema as a request body. Unknown members are allowed, and `null` counts as absent. */
export function inputSchema(type: GraphQLInputObjectType): JsonSchema {
  const fields = Object.values(type.getFields());
  const requiredNames = fields
    .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
    .map(({ name }) => name);
  return {
    type: "object",
    ...(type.description ? { description: type.description } : {}),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(requiredNames.length > 0 ? { required: requiredNames } : {}),
  };
}

/** The JSON Schema for one input field or argument. */
export function fieldSchema(
  field: Pick<GraphQLInputField, "type" | "description" | "defaultValue" | "astNode">,
): JsonSchema {
  return {
    ...valueSchema(field.type, constraintOf(field.astNode)),
    ...(field.description ? { description: field.description } : {}),
    ...(field.defaultValue === undefined ? {} : { default: field.defaultValue }),
  };
}

/** The limits that a field or an argument declares, as members of a JSON Schema. */
export function constraintOf(
  astNode: { readonly directives?: readonly DirectiveNode[] | undefined } | null | undefined,
): JsonSchema {
  const directive = astNode?.directives?.find(({ name }) => name.value === "constraint");
  return Object.fromEntries(
    directive?.arguments?.map(({ name, value }) => [
      name.value === "values" ? "enum" : name.value,
      valueFromASTUntyped(value),
    ]) ?? [],
  );
}

function valueSchema(type: GraphQLInputType, constraint: JsonSchema): JsonSchema {
  if (isNonNullType(type)) return bareSchema(type.ofType, constraint);
  const schema = bareSchema(type, constraint);
  const values = Array.isArray(schema["enum"]) ? { enum: [...schema["enum"], null] } : {};
  return typeof schema["type"] === "string" ? { ...schema, type: [schema["type"], "null"], ...values } : schema;
}

function bareSchema(type: GraphQLInputType, constraint: JsonSchema): JsonSchema {
  if (isListType(type)) {
    const { minItems, maxItems, ...item } = constraint;
    return { type: "array", ...defined({ minItems, maxItems }), items: valueSchema(type.ofType, item) };
  }
  if (isInputObjectType(type)) return inputSchema(type);
  if (isEnumType(type)) return enumSchema(type);
  if (isScalarType(type)) return { ...scalarSchemas[type.name], ...constraint };
  return {};
}

const scalarSchemas: Record<string, JsonSchema> = {
  ID: { type: "string", minLength: 1, maxLength: 200 },
  String: { type: "string" },
  Boolean: { type: "boolean" },
  Int: { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 },
  Float: { type: "number" },
  DateTime: { type: "string", format: "date-time" },
  JSONObject: { type: "object" },
};

function defined(members: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
