import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isJsonObject, type JsonObject, type JsonValue } from "./json-value.js";

export interface JsoncFault {
  message: string;
  line: number;
  column: number;
}

export type JsoncResult = { value: JsonObject; fault: null } | { value: null; fault: JsoncFault };

/** Parses JSON with comments and trailing commas; the root must be an object. */
export function parseJsonc(text: string): JsoncResult {
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, { allowTrailingComma: true, disallowComments: false });
  } catch (error) {
    // a deeply nested document exhausts the parser's stack
    if (error instanceof RangeError)
      return { value: null, fault: { message: "nested too deeply", line: 1, column: 1 } };
    throw error;
  }
  const first = errors[0];
  if (first !== undefined) {
    return { value: null, fault: { message: printParseErrorCode(first.error), ...positionAt(text, first.offset) } };
  }
  if (!isJsonObject(value)) return { value: null, fault: { message: "ObjectExpected", line: 1, column: 1 } };
  return { value, fault: null };
}

export function positionAt(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < offset; i++) {
    if (text.charCodeAt(i) !== 10) continue;
    line++;
    lineStart = i + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** A member by its name without regard to case; an exact spelling wins. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const folded = name.toLowerCase();
  for (const key of Object.keys(object)) {
    if (key.toLowerCase() === folded) return object[key];
  }
  return undefined;
}

/** Text of a scalar member; numbers and booleans are spelled out. */
export function textMember(object: JsonObject, name: string): string | null {
  return scalarText(member(object, name));
}

/** A member that is a text; the format reads any other scalar as absent. */
export function stringMember(object: JsonObject, name: string): string | null {
  const value = member(object, name);
  return typeof value === "string" ? value : null;
}

/** A list of texts, other entries left out; one text alone counts as a list of one. */
export function stringsMember(object: JsonObject, name: string): string[] | null {
  const value = member(object, name);
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : null;
}

export function scalarText(value: JsonValue | undefined): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return null;
}

export function booleanMember(object: JsonObject, name: string, fallback = false): boolean {
  return booleanOf(member(object, name)) ?? fallback;
}

export function booleanOf(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const folded = value.trim().toLowerCase();
  if (folded === "true") return true;
  return folded === "false" ? false : undefined;
}

export function objectMember(object: JsonObject, name: string): JsonObject | null {
  const value = member(object, name);
  return isJsonObject(value) ? value : null;
}

export function listMember(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name);
  return Array.isArray(value) ? value : [];
}

export function objectsMember(object: JsonObject, name: string): JsonObject[] {
  return listMember(object, name).filter(isJsonObject);
}

/** A list of texts; one text alone counts as a list of one. */
export function textsMember(object: JsonObject, name: string): string[] | null {
  const value = member(object, name);
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return null;
  return value.map(scalarText).filter((text) => text !== null);
}

export function stringMapMember(object: JsonObject, name: string): Record<string, string> {
  const map: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(objectMember(object, name) ?? {})) {
    if (typeof value === "string") map[key] = value;
  }
  return map;
}
