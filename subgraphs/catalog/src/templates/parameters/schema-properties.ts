import { isJsonObject, type JsonObject, type JsonValue } from "@factory/template-engine/json-value";
import { atPointer } from "./json-pointer.js";
import { SchemaDocument } from "./schema-references.js";

const maxHops = 16;
const listKeywords = ["allOf", "anyOf", "oneOf"];
const schemaKeywords = ["if", "then", "else"];

/** The parameters that are always defined: those of the root, of `allOf` and of local references. */
export function alwaysDefined(schema: JsonObject): Map<string, JsonValue> {
  return propertiesOf(schema, true);
}

/** All parameters that the schema defines for the root object, also under a condition. */
export function everDefined(schema: JsonObject): Map<string, JsonValue> {
  return propertiesOf(schema, false);
}

/** The subschema merged with the target of its local `$ref`; its own members win. */
export function resolved(root: JsonObject, schema: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  let merged: JsonObject = schema;
  let reference = schema["$ref"];
  for (let hops = 0; hops < maxHops && typeof reference === "string"; hops++) {
    const target = atPointer(root, reference);
    if (!isJsonObject(target)) break;
    merged = { ...target, ...merged };
    reference = target["$ref"];
  }
  return merged;
}

/** The name patterns of `patternProperties`, also under a condition. */
export function namePatterns(schema: JsonObject): string[] {
  return applied(schema, false).flatMap((one) => Object.keys(objectOf(one["patternProperties"])));
}

function propertiesOf(schema: JsonObject, always: boolean): Map<string, JsonValue> {
  const found = new Map<string, JsonValue>();
  for (const one of applied(schema, always))
    for (const [name, property] of Object.entries(objectOf(one["properties"])))
      if (!found.has(name)) found.set(name, property);
  return found;
}

/** The schema and those that it applies to the same value, each once: references may repeat or form a cycle. */
function applied(root: JsonObject, always: boolean): JsonObject[] {
  const document = new SchemaDocument(root);
  const found = new Set<JsonObject>();
  const open: JsonValue[] = [root];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    open.push(...[...document.targetsOf(schema), ...branchesOf(schema, always)].reverse());
  }
  return [...found];
}

function branchesOf(schema: JsonObject, always: boolean): JsonValue[] {
  const listed = (always ? ["allOf"] : listKeywords).flatMap((keyword) => {
    const branches = schema[keyword];
    return Array.isArray(branches) ? (branches as JsonValue[]) : [];
  });
  if (always) return listed;
  const conditional = schemaKeywords.flatMap((keyword) => schema[keyword] ?? []);
  return [...listed, ...conditional, ...Object.values(objectOf(schema["dependentSchemas"]))];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
