import { JsonReader } from "./json-reader.js";
import { setOwn } from "./own-property.js";
import { isRewritten, RewrittenSearch, rewritesNumber } from "./rewritten-numbers.js";

/** A number in foreign JSON whose text JavaScript would change. `JSON.stringify` writes its text. */
export interface KeptNumber {
  readonly rawJSON: string;
}

/** The part of ECMAScript's JSON object that TypeScript's declarations lack. */
interface RawJson {
  readonly rawJSON: (text: string) => KeptNumber;
  readonly isRawJSON: (value: unknown) => value is KeptNumber;
}

const { rawJSON, isRawJSON } = JSON as typeof JSON & RawJson;

export const isKeptNumber: (value: unknown) => value is KeptNumber = isRawJSON;

/** A foreign number as text, for an id that a vendor sends as a number. Undefined for another value. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return isKeptNumber(value) ? value.rawJSON : undefined;
}

/** The number in a JSON text: as JavaScript has it where that has the same text, otherwise kept. */
export const foreignNumber = (text: string): number | KeptNumber => (isRewritten(text) ? rawJSON(text) : Number(text));

/** As `JSON.parse`, but numbers whose text JavaScript would change are kept. For JSON that is not ours. */
export function parseForeignJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!rewritesNumber(text)) return value;
  const reader = new JsonReader(text, foreignNumber);
  reader.read();
  return reader.value;
}

const charactersBetweenPauses = 16 * 1024;
const valuesBetweenPauses = 200;

/** The same, with pauses after `JSON.parse`. */
export function* parsingForeignJson(text: string): Generator<void, unknown, void> {
  const value: unknown = JSON.parse(text);
  yield;
  const search = new RewrittenSearch(text);
  while (!search.read(charactersBetweenPauses)) yield;
  if (!search.found) return value;
  const reader = new JsonReader(text, foreignNumber);
  while (!reader.read(valuesBetweenPauses)) yield;
  return reader.value;
}

/**
 * The value with JavaScript numbers, for rules that calculate or compare. The value itself is returned where it has no
 * kept number.
 */
export const withPlainNumbers = (value: unknown): unknown => (holdsKeptNumber(value) ? plainCopy(value) : value);

/** Copies without recursion, which a deep value could exhaust. */
function plainCopy(value: unknown): unknown {
  const copies: { readonly from: object; readonly to: Record<string, unknown> }[] = [];
  const copyOf = (from: unknown): unknown => {
    if (typeof from !== "object" || from === null) return from;
    if (isKeptNumber(from)) return Number(from.rawJSON);
    const to = (Array.isArray(from) ? [] : {}) as Record<string, unknown>;
    copies.push({ from, to });
    return to;
  };
  const copy = copyOf(value);
  for (let next = copies.pop(); next; next = copies.pop())
    for (const [name, member] of Object.entries(next.from)) setOwn(next.to, name, copyOf(member));
  return copy;
}

/** Whether a number anywhere in the value is kept. */
export function holdsKeptNumber(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const foundObjects: object[] = [value];
  for (let next = foundObjects.pop(); next; next = foundObjects.pop()) {
    if (isKeptNumber(next)) return true;
    for (const member of Array.isArray(next) ? next : Object.values(next))
      if (typeof member === "object" && member !== null) foundObjects.push(member);
  }
  return false;
}
