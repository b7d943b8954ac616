import { DomainError } from "../errors/domain-error.js";
import type { PausableWork } from "../threads/long-work.js";
import { type JsonSize, requireJsonSize } from "./json-size.js";
import { maxJsonDepth } from "./storable-text.js";

/** Text up to this size is read without a pause. */
export const bytesBetweenPauses = 16 * 1024;

interface JsonScan {
  /** Whether an escape in a text may be NUL or a surrogate. */
  readonly suspicious: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const openingBracket = 0x5b;
const closingBracket = 0x5d;

/**
 * Reads a JSON document's bytes once, before anything is built from them, and tells `tellSize` what they hold. Throws
 * MALFORMED_JSON for more than 64 levels, and PAYLOAD_TOO_LARGE above the limit.
 */
export function* scanJson(
  bytes: Uint8Array,
  limit: JsonSize,
  tellSize?: (size: JsonSize) => void,
): PausableWork<JsonScan> {
  const scan = new Scan();
  let at = scan.read(bytes, 0);
  while (at < bytes.length) {
    yield;
    at = scan.read(bytes, at);
  }
  tellSize?.(scan);
  if (scan.deepest > maxJsonDepth)
    throw new DomainError("MALFORMED_JSON", { detail: `The body is nested deeper than ${maxJsonDepth} levels.` });
  requireJsonSize(scan, limit);
  return scan;
}

class Scan implements JsonSize, JsonScan {
  members = 0;
  values = 0;
  deepest = 0;
  suspicious = false;
  #depth = 0;
  #inString = false;

  /** Reads the bytes up to the next pause, and returns where the next one comes. */
  read(bytes: Uint8Array, from: number): number {
    const end = Math.min(from + bytesBetweenPauses, bytes.length);
    let inString = this.#inString;
    let at = from;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (inString) {
        if (byte === quote) inString = false;
        else if (byte === backslash) {
          at++;
          this.suspicious ||= bytes[at] === 0x75 && isNulOrSurrogate(bytes, at + 1);
        }
      } else if (byte === quote) inString = true;
      else this.#countSign(byte);
    }
    this.#inString = inString;
    return at;
  }

  /** Counts a byte outside texts. */
  #countSign(byte: number | undefined): void {
    if (byte === colon) this.members++;
    else if (byte === comma) this.values++;
    else if (byte === openingBrace || byte === openingBracket) {
      this.values++;
      this.#depth++;
      if (this.#depth > this.deepest) this.deepest = this.#depth;
    } else if (byte === closingBrace || byte === closingBracket) this.#depth--;
  }
}

/** The hex digits after `\u`: `0000`, or `d8` to `df` first. */
function isNulOrSurrogate(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at];
  return first === 0x30
    ? bytes[at + 1] === 0x30 && bytes[at + 2] === 0x30 && bytes[at + 3] === 0x30
    : (first ?? 0) % 32 === 4;
}
