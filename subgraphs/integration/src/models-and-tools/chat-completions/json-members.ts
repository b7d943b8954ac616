import { isUtf8 } from "node:buffer";
import { isKeptNumber, parseForeignJson } from "@factory/runtime/json/kept-numbers";

/** A value of a JSON text, of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

/** The members of an object, and none of any other value. */
export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value) ? (value as Json) : {};

/** The elements of an array, and none of any other value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The text, or an empty one for any other value. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The number if it is a count; otherwise undefined. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** As `parsedObject`, for the bytes of an answer, which must be UTF-8. */
export const parsedBody = (body: Buffer): Json | undefined =>
  isUtf8(body) ? parsedObject(body.toString("utf8")) : undefined;

/** The object that a text of JSON holds; undefined for any other text. */
export function parsedObject(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** As `parsedObject`, for values that are written again: numbers whose text JavaScript would change are kept. */
export const parsedExactly = (text: string): Json => objectOf(parseForeignJson(text));
