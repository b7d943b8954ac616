import type { FieldError } from "../errors/domain-error.js";
import { pointerToken } from "../errors/json-pointer.js";

/** The largest depth of JSON in a request. */
export const maxJsonDepth = 64;

/** Whether PostgreSQL can store the text: JSON allows NUL and lone surrogates, PostgreSQL does not. */
export const isStorable = (text: string) => text.isWellFormed() && !text.includes("\0");

/** Replaces characters that cannot be stored. */
const substitute = "\ufffd";

/**
 * The text with characters that PostgreSQL cannot store replaced; for texts of others, for example file names and error
 * messages.
 */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.replaceAll("\0", substitute).replaceAll(/\p{Surrogate}/gu, substitute);
}

/** An error for every text inside the value that cannot be stored, and for nesting that is too deep. */
export function unstorableText(value: unknown): FieldError[] {
  // Pointers are built only for the rare value that is refused.
  return isStorableValue(value, 0) ? [] : problemsOf(value, "", 0);
}

function isStorableValue(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === maxJsonDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isStorableValue(item, depth + 1));
  // A large object is read at half the time of Object.entries.
  for (const name of Object.keys(value))
    if (!isStorable(name) || !isStorableValue((value as Record<string, unknown>)[name], depth + 1)) return false;
  return true;
}

function problemsOf(value: unknown, pointer: string, depth: number): FieldError[] {
  if (typeof value === "string") return isStorable(value) ? [] : [unstorable(pointer)];
  if (typeof value !== "object" || value === null) return [];
  if (depth === maxJsonDepth)
    return [{ pointer, code: "OUT_OF_RANGE", detail: `Must not be nested deeper than ${maxJsonDepth} levels.` }];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = `${pointer}/${pointerToken(name)}`;
    return isStorable(name) ? problemsOf(member, inner, depth + 1) : [unstorable(pointer)];
  });
}

const unstorable = (pointer: string): FieldError => ({
  pointer: storableText(pointer),
  code: "FORMAT",
  detail: "The text must not contain the character NUL or a lone surrogate.",
});
