import { isKeptNumber } from "../json/kept-numbers.js";

/** So many members and items are written without a pause. */
const inOneGo = 500;

/**
 * A value's canonical JSON (RFC 8785, JSON Canonicalization Scheme): no white space, members sorted by the UTF-16 code
 * units in their names, strings and numbers as ECMAScript writes them. Members without a value are left out. Texts must
 * not hold lone surrogates. A kept number is written with its text, so that it differs from all others.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    let text = "[";
    for (let at = 0; at < value.length; at++) text += `${at === 0 ? "" : ","}${canonicalJson(value[at] ?? null)}`;
    return `${text}]`;
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (isKeptNumber(value)) return value.rawJSON;
  let text = "{";
  for (const name of sortedNames(value)) {
    const member = (value as Record<string, unknown>)[name];
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
}

/** The same text, with pauses in a large value. */
export function* canonicalJsonWork(value: unknown, progress = { written: 0 }): Generator<void, string, void> {
  if (value === null || typeof value !== "object" || isKeptNumber(value)) return canonicalJson(value);
  const isList = Array.isArray(value);
  const names = isList ? [...value.keys()] : sortedNames(value);
  if (names.length > inOneGo) yield;
  let text = isList ? "[" : "{";
  for (const [at, name] of names.entries()) {
    const member = (value as Record<string | number, unknown>)[name];
    const label = isList ? "" : `${JSON.stringify(name)}:`;
    text += `${at === 0 ? "" : ","}${label}${yield* canonicalJsonWork(isList ? (member ?? null) : member, progress)}`;
    progress.written += 1;
    if (progress.written % inOneGo === 0) yield;
  }
  return text + (isList ? "]" : "}");
}

/** Whether the value has more members and items than are written without a pause. */
export function isLargeJson(value: unknown): boolean {
  return count(value, 0) > inOneGo;
}

/** Adds a value's members and items. It ends soon after the limit. */
function count(value: unknown, before: number): number {
  if (value === null || typeof value !== "object" || before > inOneGo) return before;
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const { length } = names ?? (value as unknown[]);
  let sum = before + length;
  for (let at = 0; at < length && sum <= inOneGo; at++)
    sum = count((value as Record<string | number, unknown>)[names?.[at] ?? at], sum);
  return sum;
}

/** The names of members that have a value, by their UTF-16 code units. */
const sortedNames = (value: object): string[] =>
  Object.keys(value)
    .filter((name) => (value as Record<string, unknown>)[name] !== undefined)
    .sort();
