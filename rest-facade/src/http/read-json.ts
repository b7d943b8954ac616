import { isUtf8 } from "node:buffer";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { scanJson } from "@factory/runtime/input-validation/json-scan";
import { requestJsonLimit } from "@factory/runtime/input-validation/json-size";
import { unstorableText } from "@factory/runtime/input-validation/storable-text";

/**
 * A body as strict JSON: UTF-8, at most 64 levels, a limited number of members and values, text that PostgreSQL can
 * store. Empty counts as absent.
 */
export function readJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformed("The body is not valid UTF-8.");
  const { suspicious } = scanJson(body, requestJsonLimit);
  const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  const value = parse(body.toString("utf8", start));
  if (suspicious) {
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
