import type { FieldError } from "../errors/domain-error.js";
import { pointerToken } from "../errors/json-pointer.js";
import { isKeptNumber } from "../json/kept-numbers.js";
import { doAtOnce, type PausableWork } from "../threads/long-work.js";

/** The largest JSON depth in a request. */
export const maxJsonDepth = 64;

/** Whether PostgreSQL can store the text: JSON allows NUL and lone surrogates, PostgreSQL does not. */
export const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed();

/** Replaces characters that cannot be stored. */
const substitute = "\ufffd";

/**
 * The text with characters that PostgreSQL cannot store replaced; for foreign texts, for example file names and error
 * messages.
 */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.replaceAll("\0", substitute).toWellFormed();
}

/** Whether no member is a text that cannot be stored, or a list or an object, which `storability` looks into. */
export function isFlatAndStorable(members: Readonly<Record<string, unknown>>): boolean {
  for (const name in members) {
    const member = members[name];
    if (typeof member === "string" ? !isStorable(member) : isNested(member)) return false;
  }
  return true;
}

const maxReported = 20;
const stepsBetweenPauses = 500;

/** The first errors for texts inside the value that cannot be stored, and for nesting that is too deep. */
export const unstorableText = (value: unknown): FieldError[] => doAtOnce(storability(value));

/** The same, with pauses in a large value. */
export function* storability(value: unknown): PausableWork<FieldError[]> {
  const errors: FieldError[] = [];
  const names: string[] = [];
  let steps = 0;
  const refuse = (code: string, detail: string, name?: string) => {
    const tokens = name === undefined ? names : [...names, name];
    const pointer = storableText(tokens.map((token) => `/${pointerToken(token)}`).join(""));
    errors.push({ pointer, code, detail });
  };
  const check = function* (inner: object): PausableWork<void> {
    if (names.length === maxJsonDepth)
      return refuse("OUT_OF_RANGE", `Must not be nested deeper than ${maxJsonDepth} levels.`);
    const keys = Array.isArray(inner) ? undefined : Object.keys(inner);
    const length = keys ? keys.length : (inner as unknown[]).length;
    for (let at = 0; at < length && errors.length < maxReported; at++) {
      const name = keys ? (keys[at] ?? "") : String(at);
      const member = (inner as Record<string, unknown>)[name];
      if (keys && !isStorable(name)) refuse("FORMAT", unstorable);
      else if (typeof member === "string") {
        if (!isStorable(member)) refuse("FORMAT", unstorable, name);
      } else if (isNested(member)) {
        names.push(name);
        yield* check(member);
        names.pop();
      }
      steps += 1;
      if (steps % stepsBetweenPauses === 0) yield;
    }
  };
  if (typeof value === "string" && !isStorable(value)) refuse("FORMAT", unstorable);
  if (isNested(value)) yield* check(value);
  return errors;
}

const isNested = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !isKeptNumber(value);

const unstorable = "The text must not contain the character NUL or a lone surrogate.";
