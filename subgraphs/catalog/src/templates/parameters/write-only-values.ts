import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import {
  escapePointer,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@factory/template-engine/json-value";
import { SchemaDocument } from "./schema-references.js";

/** Parameters without the values that their schema keeps from readers. */
export interface ShownParameters {
  readonly parameters: Record<string, unknown>;
  /** JSON pointers to the values that are left out. A pointer to the root says that everything is. */
  readonly withheld: string[];
}

/** Nothing can be shown safely. */
export const withheldAltogether: ShownParameters = { parameters: {}, withheld: [""] };

/** More work than this is not done for one execution: then everything is left out. */
const maxSteps = 50_000;

/**
 * Leaves out each value that a part of the schema marks with `writeOnly: true` or `format: password`. A part counts
 * whatever its condition, since a secret must not depend on the branch that a request took. In a list null stands for
 * what is left out. A parameter that the schema does not name is left out where a marked one is missing, because it
 * may be its alias. Everything is left out where a `$dynamicRef` decides which part holds.
 */
export function withoutWriteOnlyValues(schema: unknown, parameters: Record<string, unknown>): ShownParameters {
  if (!isJsonObject(schema)) return { parameters, withheld: [] };
  const document = markedDocument(schema);
  if (document === "unmarked") return { parameters, withheld: [] };
  if (document === "dynamic") return withheldAltogether;
  const reader = new WriteOnlyValues(document);
  try {
    const shownValue = reader.shown(parameters as JsonObject, [schema], "");
    return shownValue === leftOut
      ? withheldAltogether
      : { parameters: shownValue as Record<string, unknown>, withheld: reader.withheld };
  } catch (error) {
    if (error === tooMuchWork) return withheldAltogether;
    throw error;
  }
}

const leftOut = Symbol("left out");
const tooMuchWork = new Error("The schema and the parameters need too much work");

/** A text whose content has a mark is marked as a whole, since the text is not parsed. */
const isMarked = ({ writeOnly, format, contentSchema }: JsonObject) =>
  writeOnly === true || format === "password" || holdsMark(contentSchema);

function holdsMark(value: JsonValue | undefined): boolean {
  if (isJsonArray(value)) return value.some(holdsMark);
  return (
    isJsonObject(value) &&
    (value["writeOnly"] === true || value["format"] === "password" || Object.values(value).some(holdsMark))
  );
}

function holdsMember(value: JsonValue | undefined, name: string): boolean {
  if (isJsonArray(value)) return value.some((item) => holdsMember(item, name));
  return (
    isJsonObject(value) && (Object.hasOwn(value, name) || Object.values(value).some((each) => holdsMember(each, name)))
  );
}

type MarkedDocument = SchemaDocument | "unmarked" | "dynamic";

/** Executions of one version share its schema, which is read once as long as it is in memory. */
const documents = new WeakMap<JsonObject, MarkedDocument>();

function markedDocument(schema: JsonObject): MarkedDocument {
  const readDocument = documents.get(schema);
  if (readDocument) return readDocument;
  const hasMark = holdsMark(schema);
  const document = !hasMark ? "unmarked" : holdsMember(schema, "$dynamicRef") ? "dynamic" : new SchemaDocument(schema);
  documents.set(schema, document);
  return document;
}

class WriteOnlyValues {
  readonly withheld: string[] = [];
  readonly #document: SchemaDocument;
  readonly #parts = new Map<JsonObject, ReadonlySet<JsonObject>>();
  #steps = 0;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  shown(value: JsonValue, schemas: readonly JsonValue[], pointer: string): JsonValue | typeof leftOut {
    const parts = this.#allParts(schemas);
    this.#count(1 + pointer.length);
    if ([...parts].some(isMarked)) {
      this.withheld.push(pointer);
      return leftOut;
    }
    if (parts.size === 0 || isKeptNumber(value)) return value;
    if (isJsonArray(value))
      return value.map((item, index) => {
        this.#count(parts.size);
        const shownItem = this.shown(item, itemSchemas(parts, index), `${pointer}/${index}`);
        return shownItem === leftOut ? null : shownItem;
      });
    if (!isJsonObject(value)) return value;
    const mayHaveAlias = pointer === "" && lacksMarkedName(parts, value);
    const members = Object.entries(value).map(([name, member]) => {
      this.#count(parts.size);
      const place = `${pointer}/${escapePointer(name)}`;
      if (mayHaveAlias && !isNamed(parts, name)) {
        this.withheld.push(place);
        return [name, leftOut] as const;
      }
      return [name, this.shown(member, memberSchemas(parts, name), place)] as const;
    });
    return Object.fromEntries(members.filter(([, member]) => member !== leftOut)) as JsonObject;
  }

  /** The schemas with all that they apply to the same value, also under a condition. */
  #allParts(schemas: readonly JsonValue[]): ReadonlySet<JsonObject> {
    const [only, ...others] = schemas;
    if (others.length === 0) return isJsonObject(only) ? this.#partsOf(only) : none;
    const parts = new Set<JsonObject>();
    for (const schema of schemas) {
      if (!isJsonObject(schema)) continue;
      for (const part of this.#partsOf(schema)) parts.add(part);
      this.#count(this.#partsOf(schema).size);
    }
    return parts;
  }

  #partsOf(schema: JsonObject): ReadonlySet<JsonObject> {
    const knownParts = this.#parts.get(schema);
    if (knownParts) {
      this.#count(knownParts.size);
      return knownParts;
    }
    const parts = new Set<JsonObject>();
    const open: JsonValue[] = [schema];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (!isJsonObject(part) || parts.has(part)) continue;
      this.#count(1);
      parts.add(part);
      for (const next of [...this.#document.targetsOf(part), ...branchesOf(part)]) open.push(next);
    }
    this.#parts.set(schema, parts);
    return parts;
  }

  #count(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw tooMuchWork;
  }
}

const none: ReadonlySet<JsonObject> = new Set();

/** Whether the parameters lack a marked one, which then may have been given by its alias. */
const lacksMarkedName = (parts: ReadonlySet<JsonObject>, parameters: JsonObject) =>
  [...parts].some((part) =>
    Object.entries(objectAt(part, "properties")).some(
      ([name, schema]) => !Object.hasOwn(parameters, name) && (holdsMark(schema) || holdsMember(schema, "$ref")),
    ),
  );

const isNamed = (parts: ReadonlySet<JsonObject>, name: string) =>
  [...parts].some((part) => Object.hasOwn(objectAt(part, "properties"), name));

function branchesOf(part: JsonObject): JsonValue[] {
  return [
    ...["allOf", "anyOf", "oneOf"].flatMap((keyword) => listAt(part, keyword)),
    ...["if", "then", "else"].flatMap((keyword) => part[keyword] ?? []),
    ...Object.values(objectAt(part, "dependentSchemas")),
  ];
}

/** A pattern of names is not run: its schema counts for each name, since a pattern may be slow. */
function memberSchemas(parts: ReadonlySet<JsonObject>, name: string): JsonValue[] {
  return [...parts].flatMap((part) => {
    const properties = objectAt(part, "properties");
    return [
      ...(Object.hasOwn(properties, name) ? [properties[name] ?? []] : [part["additionalProperties"] ?? []]),
      ...Object.values(objectAt(part, "patternProperties")),
      part["unevaluatedProperties"] ?? [],
    ].flat();
  });
}

function itemSchemas(parts: ReadonlySet<JsonObject>, index: number): JsonValue[] {
  return [...parts].flatMap((part) => {
    const first = listAt(part, "prefixItems");
    return [
      index < first.length ? (first[index] ?? []) : (part["items"] ?? []),
      part["contains"] ?? [],
      part["unevaluatedItems"] ?? [],
    ].flat();
  });
}

function listAt(part: JsonObject, keyword: string): readonly JsonValue[] {
  const value = part[keyword];
  return isJsonArray(value) ? value : [];
}

function objectAt(part: JsonObject, keyword: string): JsonObject {
  const value = part[keyword];
  return isJsonObject(value) ? value : {};
}
