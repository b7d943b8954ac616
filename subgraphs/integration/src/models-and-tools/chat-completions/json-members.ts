import { isUtf8 } from "node:buffer";
import { isKeptNumber, parseForeignJson } from "@factory/runtime/json/kept-numbers";

/** A value in a JSON text, about which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

/** An object's members, and none for any other value. */
export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value) ? (value as Json) : {};

/** An array's elements, and none for any other value. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The text, or an empty one for any other value. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The number if it is a count; otherwise undefined. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** As `parsedObject`, for an answer's bytes, which must be UTF-8. */
export const parsedJsonBody = (body: Buffer): Json | undefined =>
  isUtf8(body) ? parsedObject(body.toString("utf8")) : undefined;

/** The object that a JSON text holds; undefined for any other text. */
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
