import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isJsonObject, type JsonObject, type JsonValue } from "./json-value.js";

interface JsoncFault {
  message: string;
  line: number;
  column: number;
}

type JsoncResult = { value: JsonObject; fault: null } | { value: null; fault: JsoncFault };

/** Messages for the parser's error names. */
const sentences: Readonly<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  InvalidSymbol: "a word is in the place of a value",
  InvalidNumberFormat: "a number has a wrong format",
  PropertyNameExpected: "the name of a member is expected, in double quotes",
  ValueExpected: "a value is expected",
  ColonExpected: "a colon is expected after the name of a member",
  CommaExpected: "a comma is expected",
  CloseBraceExpected: "an object is not closed",
  CloseBracketExpected: "a list is not closed",
  EndOfFileExpected: "there is text after the end of the document",
  InvalidCommentToken: "a comment has a wrong format",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a text is not closed",
  UnexpectedEndOfNumber: "a number ends too early",
  InvalidUnicode: "an escape \\u is not followed by four hexadecimal digits",
  InvalidEscapeCharacter: "an escape sequence is unknown",
  InvalidCharacter: "a text contains a control character",
  "<unknown ParseErrorCode>": "it is not valid JSON",
};

const jsonWithComments = { allowTrailingComma: true, disallowComments: false };

/** Parses JSON with comments and trailing commas; the root must be an object. */
export function parseJsonc(text: string): JsoncResult {
  const document = readJsonc(text);
  if (document.fault !== undefined) return { value: null, fault: document.fault };
  if (!isJsonObject(document.value))
    return { value: null, fault: { message: "the document is not an object", line: 1, column: 1 } };
  return { value: document.value, fault: null };
}

/** The first syntax fault in JSON with comments and trailing commas. Undefined for valid text. */
export function jsoncFault(text: string): JsoncFault | undefined {
  return readJsonc(text).fault;
}

function readJsonc(text: string): { value?: unknown; fault?: JsoncFault } {
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text, errors, jsonWithComments);
    const [first] = errors;
    if (first === undefined) return { value };
    return { fault: { message: sentences[printParseErrorCode(first.error)], ...positionAt(text, first.offset) } };
  } catch (error) {
    // a deeply nested document exhausts the parser's call stack
    if (error instanceof RangeError) return { fault: { message: "it nests too deeply", line: 1, column: 1 } };
    throw error;
  }
}

/** An offset's line and column, both from 1. */
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

/** The member with a case-insensitive name; a member with exactly this name wins. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const lowerName = name.toLowerCase();
  for (const key of Object.keys(object)) {
    if (key.toLowerCase() === lowerName) return object[key];
  }
  return undefined;
}

/** A scalar member's text; numbers and booleans become texts. Null when it is not a scalar. */
export function textMember(object: JsonObject, name: string): string | null {
  return scalarText(member(object, name));
}

/** A member's text; null for any other type, which the format treats as absent. */
export function stringMember(object: JsonObject, name: string): string | null {
  const value = member(object, name);
  return typeof value === "string" ? value : null;
}

/** A list of texts without its other entries; a single text is a list of one. */
export function stringsMember(object: JsonObject, name: string): string[] | null {
  const value = member(object, name);
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : null;
}

/** A text, number or boolean as a text; null for anything else. */
export function scalarText(value: JsonValue | undefined): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return null;
}

/** A member's boolean, which may be written as a text; the fallback for anything else. */
export function booleanMember(object: JsonObject, name: string, fallback = false): boolean {
  return booleanOf(member(object, name)) ?? fallback;
}

/** A boolean value, which may be written as a text; undefined for anything else. */
export function booleanOf(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  if (word === "true") return true;
  return word === "false" ? false : undefined;
}

/** A member's object; null for any other type. */
export function objectMember(object: JsonObject, name: string): JsonObject | null {
  const value = member(object, name);
  return isJsonObject(value) ? value : null;
}

/** A member's list; empty for any other type. */
export function listMember(object: JsonObject, name: string): readonly JsonValue[] {
  const value = member(object, name);
  return Array.isArray(value) ? value : [];
}

/** The objects in a list, without its other entries. */
export function objectsMember(object: JsonObject, name: string): JsonObject[] {
  return listMember(object, name).filter(isJsonObject);
}

/** A scalar list as texts; a single text is a list of one. Null when it is neither. */
export function textsMember(object: JsonObject, name: string): string[] | null {
  const value = member(object, name);
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return null;
  return value.map(scalarText).filter((text) => text !== null);
}

/** An object's texts by name, without its other members. */
export function stringMapMember(object: JsonObject, name: string): Record<string, string> {
  const map: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(objectMember(object, name) ?? {})) {
    if (typeof value === "string") map[key] = value;
  }
  return map;
}
