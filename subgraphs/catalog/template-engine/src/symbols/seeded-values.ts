import { createHash } from "node:crypto";

/** A GUID in the version 5 layout that depends only on the seed and the purpose. */
export function seededGuid(seed: string, purpose: string): string {
  const digest = createHash("sha1").update(`guid\0${seed}\0${purpose}`).digest().subarray(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** An integer from `low` (inclusive) to `high` (exclusive). */
export function seededInteger(seed: string, purpose: string, range: { low: bigint; high: bigint }): bigint {
  const span = range.high - range.low;
  if (span <= 0n) return range.low;
  const digest = createHash("sha256").update(`integer\0${seed}\0${purpose}`).digest();
  return range.low + (digest.readBigUInt64BE(0) % span);
}

type GuidFormat = "n" | "d" | "b" | "p" | "x" | "N" | "D" | "B" | "P" | "X";

export const guidFormats: readonly GuidFormat[] = ["n", "d", "b", "p", "x", "N", "D", "B", "P", "X"];

/** Writes a GUID in a .NET format (N, D, B, P, X); a capital letter gives capital digits. */
export function formatGuid(guid: string, format: string): string {
  const digits = guid.toLowerCase();
  const capital = format !== format.toLowerCase();
  const text = spelled(digits, format.toLowerCase());
  return capital ? text.toUpperCase() : text;
}

function spelled(digits: string, format: string): string {
  switch (format) {
    case "n":
      return digits.replaceAll("-", "");
    case "b":
      return `{${digits}}`;
    case "p":
      return `(${digits})`;
    case "x":
      return hexadecimal(digits);
    default:
      return digits;
  }
}

function hexadecimal(digits: string): string {
  const [a = "", b = "", c = "", d = "", e = ""] = digits.split("-");
  const bytes = (d + e).match(/../g) ?? [];
  return `{0x${a},0x${b},0x${c},{${bytes.map((byte) => `0x${byte}`).join(",")}}}`;
}

/** Parses a GUID in any .NET format into the form with dashes; undefined when it is invalid. */
export function parseGuid(text: string): string | undefined {
  const digits = text.toLowerCase().replace(/0x|[\s{}(),-]/g, "");
  if (!/^[0-9a-f]{32}$/.test(digits)) return undefined;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
