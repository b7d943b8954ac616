import type { IdPrefix } from "@factory/schema/id-prefixes";
import { uuidV7 } from "./uuid-v7.js";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const hexDigits = "0123456789abcdef";
const wireLength = 30;

// Lookup tables are faster than BigInt, and every read converts several IDs.
const letterPairs = Array.from(
  { length: 1 << 10 },
  (_, bits) => alphabet.charAt(bits >> 5) + alphabet.charAt(bits & 31),
);
const hexBytes = Array.from({ length: 1 << 8 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const letterValues = valuesByCharCode(alphabet);
const digitValues = valuesByCharCode(hexDigits);
const digitPlaces = [...Array(36).keys()].filter((place) => ![8, 13, 18, 23].includes(place));

/** Each digit's value by its character code. Other characters have the value 0xff. */
function valuesByCharCode(digits: string): Uint8Array {
  const values = new Uint8Array(128).fill(0xff);
  for (let value = 0; value < digits.length; value += 1) values[digits.charCodeAt(value)] = value;
  return values;
}

/** A new wire ID with this prefix, from a new version 7 UUID. */
export function newId(prefix: IdPrefix): string {
  return encodeId(prefix, uuidV7());
}

/** The wire ID for a UUID: `<prefix>_` and 26 characters in lower-case Crockford base32, most significant first. */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  let text = `${prefix}_`;
  let bits = 0;
  // 26 letters hold 130 bits, so two zero bits come before the UUID's 128 bits.
  let heldBits = 2;
  for (const place of digitPlaces) {
    bits = (bits << 4) | (digitValues[uuid.charCodeAt(place)] ?? 0);
    heldBits += 4;
    if (heldBits < 10) continue;
    heldBits -= 10;
    text += letterPairs[bits >> heldBits] ?? "";
    bits &= (1 << heldBits) - 1;
  }
  return text;
}

/** The UUID inside a wire ID with this prefix; undefined for any other value. */
export function decodeId(prefix: IdPrefix, id: unknown): string | undefined {
  if (typeof id !== "string" || id.length !== wireLength || !id.startsWith(prefix) || id[prefix.length] !== "_")
    return undefined;
  let hex = "";
  let bits = 0;
  let heldBits = -2;
  for (let place = prefix.length + 1; place < wireLength; place += 1) {
    const value = letterValues[id.charCodeAt(place)] ?? 0xff;
    // The first letter holds three bits only.
    if (value > (heldBits < 0 ? 7 : 31)) return undefined;
    bits = (bits << 5) | value;
    heldBits += 5;
    if (heldBits < 8) continue;
    heldBits -= 8;
    hex += hexBytes[bits >> heldBits] ?? "";
    bits &= (1 << heldBits) - 1;
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
