import type { Finding } from "@factory/template-engine/finding";
import {
  escapePointer,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@factory/template-engine/json-value";
import { finding } from "../findings/finding-codes.js";
import { RegexProbe } from "./regex-probe.js";

/** Keywords whose content is a value and not a schema. */
const values = new Set(["default", "const", "enum", "examples"]);

/** Finds a schema's patterns that can backtrack without end. */
export function slowPatterns(schema: JsonObject): Finding[] {
  const probe = new RegexProbe();
  return patternsOf(schema, "")
    .filter(({ pattern }) => isSlow(probe, pattern))
    .map(({ pattern, pointer }) => {
      const excerpt = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
      const message = `The pattern "${excerpt}" can backtrack without end on a value that does not match, so that the request fails.`;
      const suggestion = "Change the pattern so that no two nested or adjacent repetitions can match the same text.";
      return finding("PatternTooSlow", message, { pointer, suggestion });
    });
}

function isSlow(probe: RegexProbe, pattern: string): boolean {
  try {
    return probe.isSlow(new RegExp(pattern, "u"));
  } catch (error) {
    // the validator accepts the pattern with other flags
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function patternsOf(value: JsonValue, pointer: string): { pattern: string; pointer: string }[] {
  if (isJsonArray(value)) return value.flatMap((item, index) => patternsOf(item, `${pointer}/${index}`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const here = `${pointer}/${escapePointer(key)}`;
    if (values.has(key)) return [];
    if (key === "pattern" && typeof child === "string") return [{ pattern: child, pointer: here }];
    const names =
      key === "patternProperties" && isJsonObject(child)
        ? Object.keys(child).map((pattern) => ({ pattern, pointer: `${here}/${escapePointer(pattern)}` }))
        : [];
    return [...names, ...patternsOf(child, here)];
  });
}
