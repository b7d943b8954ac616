import { isJsonObject, type JsonObject, type JsonValue } from "../engine/json-value.js";

const MAX_HOPS = 16;
const LISTS = ["allOf", "anyOf", "oneOf"];
const SINGLES = ["if", "then", "else"];

/** The parameters that hold in every case: the root's own and those of `allOf` and of local references. */
export function alwaysDefined(schema: JsonObject): Map<string, JsonValue> {
  const found = new Map<string, JsonValue>();
  collect(schema, { root: schema, always: true, hops: 0, found });
  return found;
}

/** The parameters that the schema names anywhere about the root object, also under a condition. */
export function everDefined(schema: JsonObject): Map<string, JsonValue> {
  const found = new Map<string, JsonValue>();
  collect(schema, { root: schema, always: false, hops: 0, found });
  return found;
}

/** The subschema with what its local `$ref` adds; the nearer member wins. */
export function resolved(root: JsonObject, schema: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined;
  let merged: JsonObject = schema;
  let reference = schema["$ref"];
  for (let hops = 0; hops < MAX_HOPS && typeof reference === "string"; hops++) {
    const target = atPointer(root, reference);
    if (!isJsonObject(target)) break;
    merged = { ...target, ...merged };
    reference = target["$ref"];
  }
  return merged;
}

/** What a pointer, plain or as a local URI fragment, names. */
export function atPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  const plain = pointer.startsWith("#") ? decoded(pointer.slice(1)) : pointer;
  if (plain !== "" && !plain.startsWith("/")) return undefined;
  let current: JsonValue | undefined = root;
  for (const part of plain.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(current)) current = current[Number(key)] as JsonValue | undefined;
    else current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return current;
}

interface Search {
  root: JsonObject;
  always: boolean;
  hops: number;
  found: Map<string, JsonValue>;
}

function collect(schema: JsonValue | undefined, search: Search): void {
  if (!isJsonObject(schema) || search.hops > MAX_HOPS) return;
  const deeper = { ...search, hops: search.hops + 1 };
  for (const [name, property] of Object.entries(objectOf(schema["properties"])))
    if (!search.found.has(name)) search.found.set(name, property);
  const reference = schema["$ref"];
  if (typeof reference === "string" && reference !== "#") collect(atPointer(search.root, reference), deeper);
  for (const keyword of search.always ? ["allOf"] : LISTS) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) for (const branch of branches) collect(branch, deeper);
  }
  if (search.always) return;
  for (const keyword of SINGLES) collect(schema[keyword], deeper);
  for (const branch of Object.values(objectOf(schema["dependentSchemas"]))) collect(branch, deeper);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
