import { isJsonObject, type JsonObject, type JsonValue } from "@factory/template-engine/json-value";
import { pointerParts } from "./json-pointer.js";

/** A rule that a value breaks. */
interface BrokenRule {
  readonly keyword: string;
  /** Pointer to the keyword in the schema. */
  readonly schemaPointer: string | undefined;
  /** Pointer to the value in the parameters. */
  readonly pointer: string;
  /** The member that is missing. */
  readonly missing?: string;
}

const maxCharacters = 500;
const mapsOfSchemas = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const listsOfSchemas = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/**
 * The sentence with which the schema's author explains a broken rule: `errorMessage` in the nearest schema around the
 * rule that has one for it, as `ajv-errors` reads it. A text serves every rule in its schema and inside it. An object
 * has a text for a keyword, for the missing names of `required`, for anything inside one of `properties` or `items`,
 * and `_` for the other keywords.
 */
export function authorMessage(schema: JsonObject, rule: BrokenRule): string | undefined {
  const around = schemasAround(schema, pointerParts(rule.schemaPointer ?? ""));
  const [nearest] = around;
  for (const { schema: enclosing, inside } of around) {
    const message = messageOf(enclosing, inside, { ...rule, isOwn: enclosing === nearest?.schema });
    if (message !== undefined) return message;
  }
  return undefined;
}

/** The message of a property's own schema where the rule stands behind its `$ref`. */
export function messageOfProperty(schema: JsonObject, rule: BrokenRule): string | undefined {
  let current: JsonValue | undefined = schema;
  let message: string | undefined;
  for (const name of pointerParts(rule.pointer)) {
    const properties: JsonValue | undefined = isJsonObject(current) ? current["properties"] : undefined;
    current = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isJsonObject(current)) return message;
    message = messageOf(current, [], { ...rule, isOwn: true }) ?? message;
  }
  return message;
}

interface SchemaAround {
  readonly schema: JsonObject;
  /** The steps from it to the rule. */
  readonly inside: readonly string[];
}

/** The schemas on the way to a keyword, the nearest first. A map or a list that only holds schemas is left out. */
function schemasAround(root: JsonObject, parts: readonly string[]): SchemaAround[] {
  const around: SchemaAround[] = [];
  let current: JsonValue | undefined = root;
  for (let at = 0; at < parts.length && isJsonObject(current); ) {
    around.unshift({ schema: current, inside: parts.slice(at) });
    const keyword = parts[at] ?? "";
    const isContainer = mapsOfSchemas.has(keyword) || listsOfSchemas.has(keyword);
    const steps = parts.slice(at, at + (isContainer ? 2 : 1));
    current = steps.reduce<JsonValue | undefined>(memberOf, current);
    at += steps.length;
  }
  return around;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(name)] as JsonValue | undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function messageOf(
  schema: JsonObject,
  [step = "", place = ""]: readonly string[],
  { keyword, missing, schemaPointer, isOwn }: BrokenRule & { readonly isOwn: boolean },
): string | undefined {
  const messages = Object.hasOwn(schema, "errorMessage") ? schema["errorMessage"] : undefined;
  // the platform itself closes a schema, and tells similar names
  if (typeof messages === "string") return schemaPointer === "/unevaluatedProperties" ? undefined : shown(messages);
  if (!isJsonObject(messages)) return undefined;
  if (!isOwn) return shown(memberOf(memberOf(messages, step), place)) ?? textOf(messages, step === "items" ? step : "");
  const ofKeyword = memberOf(messages, keyword);
  if (missing !== undefined && isJsonObject(ofKeyword))
    return shown(memberOf(ofKeyword, missing)) ?? textOf(messages, "_");
  return shown(ofKeyword) ?? textOf(messages, "_");
}

const textOf = (messages: JsonObject, name: string) => shown(memberOf(messages, name));

function shown(message: JsonValue | undefined): string | undefined {
  if (typeof message !== "string" || message.trim() === "") return undefined;
  return message.length > maxCharacters ? `${message.slice(0, maxCharacters)}…` : message;
}
