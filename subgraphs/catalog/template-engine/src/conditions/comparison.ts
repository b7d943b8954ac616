import { compareTexts, sameText } from "../text/invariant-case.js";
import { MultiValue, parseBoolean, parseDouble, parseHex, parseLong, type SymbolValue } from "./symbol-value.js";

/**
 * Compares two values by the first type that both can be read as; undefined when they cannot be compared.
 * `nullText` is how an absent value is written. It equals every value that is neither a number nor a boolean.
 */
export function compareValues(first: SymbolValue, second: SymbolValue, nullText: string): number | undefined {
  const left = first === nullText ? null : first;
  const right = second === nullText ? null : second;
  return (
    compareBy(left, right, asNumber, (x, y) => x - y) ??
    compareBy(left, right, asBoolean, (x, y) => Number(x) - Number(y)) ??
    compareBy(left, right, asVersion, compareVersions) ??
    compareMulti(left, right) ??
    compareBy(left, right, asText, compareTexts) ??
    (left === null || right === null ? 0 : undefined)
  );
}

function compareBy<T>(
  left: SymbolValue,
  right: SymbolValue,
  readValue: (value: SymbolValue) => T | undefined,
  compare: (x: T, y: T) => number,
): number | undefined {
  const x = readValue(left);
  if (x === undefined) return undefined;
  const y = readValue(right);
  return y === undefined ? undefined : compare(x, y);
}

export function asNumber(value: SymbolValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return undefined;
  const long = parseDouble(value) ?? parseLong(value) ?? parseHex(value);
  return long === undefined ? undefined : Number(long);
}

function asBoolean(value: SymbolValue): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint" || typeof value === "number") return Number(value) !== 0;
  return typeof value === "string" ? parseBoolean(value) : undefined;
}

function asText(value: SymbolValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A version: two to four numbers with dots between them. */
function asVersion(value: SymbolValue): number[] | undefined {
  if (typeof value !== "string" || !/^\s*\d{1,10}(?:\.\d{1,10}){1,3}\s*$/.test(value)) return undefined;
  const parts = value.trim().split(".").map(Number);
  return parts.every((part) => part <= 0x7fffffff) ? parts : undefined;
}

function compareVersions(x: number[], y: number[]): number {
  for (let i = 0; i < 4; i++) {
    // a missing part is less than zero
    const difference = (x[i] ?? -1) - (y[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareMulti(left: SymbolValue, right: SymbolValue): number | undefined {
  if (left instanceof MultiValue) return among(left, right);
  return right instanceof MultiValue ? among(right, left) : undefined;
}

function among(many: MultiValue, other: SymbolValue): number | undefined {
  if (typeof other === "string") return many.values.some((choice) => sameText(choice, other)) ? 0 : -1;
  if (!(other instanceof MultiValue)) return -1;
  const areEqual =
    many.values.length === other.values.length && many.values.every((choice) => other.values.includes(choice));
  return areEqual ? 0 : -1;
}
