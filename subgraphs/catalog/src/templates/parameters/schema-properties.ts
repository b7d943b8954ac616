import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@factory/template-engine/json-value";
import { atPointer } from "./json-pointer.js";
import { SchemaDocument } from "./schema-references.js";

const maxHops = 16;
const listKeywords = ["allOf", "anyOf", "oneOf"];
const schemaKeywords = ["if", "then", "else"];

/** The parameters that are always defined: by the root, by `allOf` and by local references. */
export function alwaysDefined(schema: JsonObject): Map<string, JsonValue> {
  return propertiesOf(schema, true);
}

/** All parameters that the schema defines for the root object, also under a condition. */
export function everDefined(schema: JsonObject): Map<string, JsonValue> {
  return propertiesOf(schema, false);
}

/** The subschema merged with its local `$ref`'s target; its own members win. */
export function resolved(root: JsonObject, schema: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  let result: JsonObject = schema;
  let reference = schema["$ref"];
  for (let hops = 0; hops < maxHops && typeof reference === "string"; hops++) {
    const target = atPointer(root, reference);
    if (!isJsonObject(target)) break;
    result = { ...target, ...result };
    reference = target["$ref"];
  }
  return result;
}

/** The name patterns in `patternProperties`, also under a condition. */
export function namePatterns(schema: JsonObject): string[] {
  return applied(schema, false).flatMap((subschema) => Object.keys(objectOf(subschema["patternProperties"])));
}

function propertiesOf(schema: JsonObject, always: boolean): Map<string, JsonValue> {
  const result = new Map<string, JsonValue>();
  for (const subschema of applied(schema, always))
    for (const [name, property] of Object.entries(objectOf(subschema["properties"])))
      if (!result.has(name)) result.set(name, property);
  return result;
}

/** The schema and those that it applies to the same value, each once: references may repeat or form a cycle. */
function applied(root: JsonObject, always: boolean): JsonObject[] {
  const document = new SchemaDocument(root);
  const subschemas = new Set<JsonObject>();
  const open: JsonValue[] = [root];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isJsonObject(schema) || subschemas.has(schema)) continue;
    subschemas.add(schema);
    open.push(...[...document.targetsOf(schema), ...branchesOf(schema, always)].reverse());
  }
  return [...subschemas];
}

function branchesOf(schema: JsonObject, always: boolean): JsonValue[] {
  const lists = (always ? ["allOf"] : listKeywords).flatMap((keyword) => {
    const branches = schema[keyword];
    return isJsonArray(branches) ? branches : [];
  });
  if (always) return lists;
  const conditional = schemaKeywords.flatMap((keyword) => schema[keyword] ?? []);
  return [...lists, ...conditional, ...Object.values(objectOf(schema["dependentSchemas"]))];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
