/** A multi-choice symbol's value. A comparison with a text is true when the text is one of the choices. */
export class MultiValue {
  constructor(readonly values: readonly string[]) {}

  toString(): string {
    return this.values.join("|");
  }
}

/** A symbol's value: an integer is a bigint, a float is a number. */
export type SymbolValue = string | boolean | bigint | number | MultiValue | null;

/** The values of all symbols by name. */
export type Variables = ReadonlyMap<string, SymbolValue>;

/** The text that .NET prints for a value. */
export function textOf(value: SymbolValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return numberText(value);
  return value.toString();
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  const text = String(value);
  if (!text.includes("e")) return text;
  const [digits = "", exponent = "0"] = text.split("e");
  const power = Number(exponent);
  return `${digits}E${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

const minLong = -(2n ** 63n);
const maxLong = 2n ** 63n - 1n;

/** Parses a decimal 64-bit integer; white space around it is allowed. */
export function parseLong(text: string): bigint | undefined {
  const digits = text.trim();
  // a 64-bit integer has at most 19 digits; the limit keeps long texts away from BigInt
  if (!/^[+-]?\d{1,30}$/.test(digits)) return undefined;
  const value = BigInt(digits.replace(/^\+/, ""));
  return value >= minLong && value <= maxLong ? value : undefined;
}

/** Parses `0x` and up to 16 hexadecimal digits as two's complement. */
export function parseHex(text: string): bigint | undefined {
  if (!/^0x[0-9a-f]{1,16}$/i.test(text)) return undefined;
  return BigInt.asIntN(64, BigInt(text));
}

/** Parses a floating point number in the invariant culture; group separators are allowed. */
export function parseDouble(text: string): number | undefined {
  const digits = text.trim();
  if (!/^[+-]?(?:\d[\d,]{0,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e[+-]?\d{1,5})?$/i.test(digits)) return undefined;
  return Number(digits.replaceAll(",", ""));
}

/** Parses `true` or `false` in any case; white space around it is allowed. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === "true") return true;
  return word === "false" ? false : undefined;
}
