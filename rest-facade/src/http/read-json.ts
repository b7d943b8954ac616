import { isUtf8 } from "node:buffer";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { bytesBetweenPauses, scanJson } from "@factory/runtime/input-validation/json-scan";
import { type JsonSize, requestJsonLimit } from "@factory/runtime/input-validation/json-size";
import { storability } from "@factory/runtime/input-validation/storable-text";
import { parseForeignJson, parsingForeignJson } from "@factory/runtime/json/kept-numbers";
import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";

/** A body with more than this takes the parser a millisecond and more. */
const ordinarySize: JsonSize = { members: 1000, values: 5000 };

/**
 * A body as strict JSON: UTF-8, at most 64 levels, a limited number of members and values, text that PostgreSQL can
 * store. Empty counts as absent. Numbers whose text JavaScript would change are kept. `onMeasured` is told how much the
 * body holds before it is parsed.
 */
export function* readingJson(body: Buffer, onMeasured?: (size: JsonSize) => void): PausableWork<unknown> {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformedJson("The body is not valid UTF-8.");
  let isLarge = body.length > bytesBetweenPauses;
  const { suspicious } = yield* scanJson(body, requestJsonLimit, (size) => {
    isLarge ||= size.members > ordinarySize.members || size.values > ordinarySize.values;
    onMeasured?.(size);
  });
  const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  if (isLarge) yield;
  const value = yield* parse(body.toString("utf8", start), isLarge);
  // the work with the value has a turn of its own
  if (isLarge) yield;
  const errors = suspicious ? yield* storability(value) : [];
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The body contains text that is not valid Unicode.",
      errors,
    });
  return value;
}

/** The same at once, for a body that is not large. */
export const readJson = (body: Buffer): unknown => doAtOnce(readingJson(body));

const malformedJson = (detail: string) => new DomainError("MALFORMED_JSON", { detail });

function* parse(text: string, isLarge: boolean): PausableWork<unknown> {
  try {
    return isLarge ? yield* parsingForeignJson(text) : parseForeignJson(text);
  } catch (error) {
    throw malformedJson(`The body is not JSON${whereItFails(error)}.`);
  }
}

/** The position at which parsing failed, as far as V8 reports it. Its message names grammar tokens and is not shown. */
function whereItFails(error: unknown): string {
  const { message } = error as SyntaxError;
  if (/^Unexpected end\b|^Unterminated\b/.test(message)) return ": the text ends too early";
  const place = /\(line (\d+) column (\d+)\)$/.exec(message);
  return place ? `: see line ${place[1]}, column ${place[2]}` : "";
}
