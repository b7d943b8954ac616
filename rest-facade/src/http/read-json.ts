import { isUtf8 } from "node:buffer";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { requestJsonLimit, requireJsonSize } from "@factory/runtime/input-validation/json-size";
import { maxJsonDepth, unstorableText } from "@factory/runtime/input-validation/storable-text";

/**
 * A body as strict JSON: UTF-8, at most 64 levels, a limited number of members and values, text that PostgreSQL can
 * store. Empty counts as absent.
 */
export function readJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformed("The body is not valid UTF-8.");
  const scan = scanJson(body);
  if (scan.depth > maxJsonDepth) throw malformed(`The body is nested deeper than ${maxJsonDepth} levels.`);
  requireJsonSize(scan, requestJsonLimit);
  const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  const value = parse(body.toString("utf8", start));
  if (scan.suspicious) {
    const errors = unstorableText(value);
    if (errors.length > 0)
      throw new DomainError("VALIDATION_FAILED", {
        detail: "The body contains text that is not valid Unicode.",
        errors,
      });
  }
  return value;
}

const malformed = (detail: string) => new DomainError("MALFORMED_JSON", { detail });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`The body is not JSON${whereItFails(error)}.`);
  }
}

/** The position at which parsing failed, as far as V8 reports it. Its message speaks of grammar tokens and is not shown. */
function whereItFails(error: unknown): string {
  const { message } = error as SyntaxError;
  if (/^Unexpected end\b|^Unterminated\b/.test(message)) return ": the text ends too early";
  const place = /\(line (\d+) column (\d+)\)$/.exec(message);
  return place ? `: see line ${place[1]}, column ${place[2]}` : "";
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;

/** Reads the bytes once, before an object is built from them. `suspicious`: an escape may be NUL or a surrogate. */
function scanJson(body: Buffer): { depth: number; members: number; values: number; suspicious: boolean } {
  let depth = 0;
  let members = 0;
  let values = 0;
  let deepest = 0;
  let inString = false;
  let suspicious = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (inString) {
      if (byte === quote) inString = false;
      else if (byte === backslash) {
        at++;
        suspicious ||= body[at] === 0x75 && isNulOrSurrogate(body, at + 1);
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
  return { depth: deepest, members, values, suspicious };
}

/** The hex digits after `\u`: `0000`, or `d8` to `df` first. */
function isNulOrSurrogate(body: Buffer, at: number): boolean {
  const first = body[at];
  return first === 0x30
    ? body[at + 1] === 0x30 && body[at + 2] === 0x30 && body[at + 3] === 0x30
    : (first ?? 0) % 32 === 4;
}
