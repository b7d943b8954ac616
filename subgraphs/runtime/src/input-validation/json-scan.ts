import { DomainError } from "../errors/domain-error.js";
import { type JsonSize, requireJsonSize } from "./json-size.js";
import { maxJsonDepth } from "./storable-text.js";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;

/**
 * Reads the bytes of a JSON document once, before anything is built from them. `suspicious`: an escape may be NUL or a
 * surrogate. Throws MALFORMED_JSON for more than 64 levels, and PAYLOAD_TOO_LARGE above the limit.
 */
export function scanJson(bytes: Uint8Array, limit: JsonSize): { suspicious: boolean } {
  let depth = 0;
  let members = 0;
  let values = 0;
  let deepest = 0;
  let inString = false;
  let suspicious = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === quote) inString = false;
      else if (byte === backslash) {
        at++;
        suspicious ||= bytes[at] === 0x75 && isNulOrSurrogate(bytes, at + 1);
      }
    } else if (byte === quote) inString = true;
    else if (byte === colon) members++;
    else if (byte === comma) values++;
    else if (byte === 0x7b || byte === 0x5b) {
      values++;
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  if (deepest > maxJsonDepth)
    throw new DomainError("MALFORMED_JSON", { detail: `The body is nested deeper than ${maxJsonDepth} levels.` });
  requireJsonSize({ members, values }, limit);
  return { suspicious };
}

/** The hex digits after `\u`: `0000`, or `d8` to `df` first. */
function isNulOrSurrogate(bytes: Uint8Array, at: number): boolean {
  const first = bytes[at];
  return first === 0x30
    ? bytes[at + 1] === 0x30 && bytes[at + 2] === 0x30 && bytes[at + 3] === 0x30
    : (first ?? 0) % 32 === 4;
}
