import { storableText } from "@factory/runtime/input-validation/storable-text";
import type { VendorResponse } from "../vendor-calls/exchange/vendor-call.js";

const maxLength = 300;

/** The text or number at `header:<name>` or `body:<JSON pointer>` of an answer; null where there is none. */
export function answerValue(
  answer: Pick<VendorResponse, "headers" | "body" | "truncated">,
  path: string,
): string | null {
  if (path.startsWith("header:")) {
    const value = answer.headers[path.slice("header:".length).toLowerCase()];
    return bounded(Array.isArray(value) ? value[0] : value);
  }
  if (answer.truncated) return null;
  try {
    return valueInPayload(JSON.parse(answer.body.toString("utf8")), path);
  } catch {
    return null;
  }
}

/** The text or number at `body:<JSON pointer>` of a payload; null where there is none. */
export function valueInPayload(payload: unknown, path: string): string | null {
  return bounded(path.slice("body:".length).split("/").slice(1).reduce(memberOf, payload));
}

function memberOf(value: unknown, token: string): unknown {
  const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}

function bounded(value: unknown): string | null {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= maxLength ? storableText(text) : null;
}
