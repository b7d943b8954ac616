import { escapePointer, isJsonObject, type JsonObject, type JsonValue } from "@factory/template-engine/json-value";
import { atPointer } from "./json-pointer.js";
import { schemaDialect } from "./schema-limits.js";

/** A reference that cannot be followed. `pointer` is the JSON pointer to its keyword. */
export interface FaultyReference {
  readonly reason: "RemoteRef" | "NotValid";
  readonly pointer: string;
}

const single = [
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const maps = ["$defs", "definitions", "properties", "patternProperties", "dependentSchemas"];
/** The meta-schemas, which the validator contains. */
const dialectFolder = schemaDialect.slice(0, schemaDialect.lastIndexOf("/") + 1);
/** The base URI for a document without an absolute `$id`. */
const nameless = "https://parameter-schema.invalid/";

/** A schema that indexes its parts by `$id` and `$anchor`. References are followed without fetching anything. */
export class SchemaDocument {
  readonly #root: JsonObject;
  /** The named parts by absolute URI. */
  readonly #resources = new Map<string, JsonObject>();
  readonly #anchors = new Map<string, JsonObject>();
  /** The base URI for each part's references. */
  readonly #bases = new Map<JsonObject, string>();

  constructor(root: JsonObject) {
    this.#root = root;
    this.#resources.set(nameless, root);
    this.#collectNames(root, nameless);
  }

  /** The targets that a part's `$ref` and `$dynamicRef` name, except missing ones and those outside the document. */
  targetsOf(part: JsonObject): JsonValue[] {
    return this.#referencesOf(part).flatMap(({ uri }) => (uri === undefined ? [] : (this.#at(uri) ?? [])));
  }

  /** The first reference whose target is missing or outside the document. */
  faultyReference(): FaultyReference | undefined {
    for (const [part, pointer] of schemasOf(this.#root, ""))
      for (const { keyword, uri } of this.#referencesOf(part)) {
        const reason = uri === undefined ? "NotValid" : this.#faultOf(uri);
        if (reason !== undefined) return { reason, pointer: `${pointer}/${keyword}` };
      }
    return undefined;
  }

  #referencesOf(part: JsonObject): { keyword: string; uri: string | undefined }[] {
    return ["$ref", "$dynamicRef"].flatMap((keyword) => {
      const reference = part[keyword];
      if (typeof reference !== "string") return [];
      return [{ keyword, uri: absolute(reference, this.#bases.get(part) ?? nameless) }];
    });
  }

  #faultOf(uri: string): FaultyReference["reason"] | undefined {
    if (!this.#resources.has(withoutFragment(uri))) return uri.startsWith(dialectFolder) ? undefined : "RemoteRef";
    return this.#at(uri) === undefined ? "NotValid" : undefined;
  }

  #at(uri: string): JsonValue | undefined {
    const resource = this.#resources.get(withoutFragment(uri));
    if (resource === undefined) return undefined;
    const fragment = uri.slice(withoutFragment(uri).length);
    return fragment === "" || fragment.startsWith("#/") ? atPointer(resource, fragment) : this.#anchors.get(uri);
  }

  /** Collects the names in all members, since a reference may lead into an unknown keyword. */
  #collectNames(value: JsonValue, outer: string): void {
    if (typeof value !== "object" || value === null) return;
    const base = isJsonObject(value) ? this.#nameOf(value, outer) : outer;
    for (const child of Object.values(value)) this.#collectNames(child as JsonValue, base);
  }

  #nameOf(part: JsonObject, outer: string): string {
    const { $id } = part;
    const identifier = typeof $id === "string" ? absolute($id, outer) : undefined;
    const base = identifier === undefined ? outer : withoutFragment(identifier);
    if (base !== outer) this.#resources.set(base, part);
    this.#bases.set(part, base);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = part[keyword];
      if (typeof anchor === "string") this.#anchors.set(`${base}#${anchor}`, part);
    }
    return base;
  }
}

/** The schema and all schemas in it, each with its JSON pointer. Objects in an `enum` are values and not schemas. */
function* schemasOf(schema: JsonValue | undefined, pointer: string): Generator<[part: JsonObject, pointer: string]> {
  if (!isJsonObject(schema)) return;
  yield [schema, pointer];
  for (const [keys, child] of subschemas(schema))
    yield* schemasOf(child, `${pointer}/${keys.map(escapePointer).join("/")}`);
}

function* subschemas(schema: JsonObject): Generator<[keys: string[], child: JsonValue | undefined]> {
  for (const keyword of single) yield [[keyword], schema[keyword]];
  for (const keyword of [...lists, ...maps]) {
    const children = schema[keyword];
    if (typeof children !== "object" || children === null) continue;
    for (const [key, child] of Object.entries(children)) yield [[keyword, key], child as JsonValue];
  }
}

function absolute(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const { href } = new URL(reference, base);
  return href.endsWith("#") ? href.slice(0, -1) : href;
}

function withoutFragment(uri: string): string {
  return uri.split("#", 1)[0] ?? uri;
}
