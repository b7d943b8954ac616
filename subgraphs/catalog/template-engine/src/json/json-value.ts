/** A parsed JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A parsed JSON object. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON array. `Array.isArray` does not tell a readonly list from an object. */
export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Escapes a name as a segment in a JSON pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
