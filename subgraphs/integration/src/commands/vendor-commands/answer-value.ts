import { storableText } from "@factory/runtime/input-validation/storable-text";
import { isKeptNumber, numberText, parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { VendorResponse } from "../../connections/vendor-calls/exchange/vendor-call.js";

const maxLength = 300;
const maxUrlLength = 4096;

type Answer = Pick<VendorResponse, "headers" | "body" | "truncated">;

/** The address at `header:<name>` or `body:<JSON pointer>` in an answer; null for one that is not a web address. */
export function answerUrl(answer: Answer, path: string): string | null {
  const url = answerValue(answer, path, maxUrlLength);
  return url !== null && /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url) ? url : null;
}

/** The text or number at `header:<name>` or `body:<JSON pointer>` in an answer. Null if the answer has no such value. */
export function answerValue(answer: Answer, path: string, longest = maxLength): string | null {
  if (path.startsWith("header:")) {
    const value = answer.headers[path.slice("header:".length).toLowerCase()];
    return bounded(Array.isArray(value) ? value[0] : value, longest);
  }
  if (answer.truncated) return null;
  try {
    return valueInPayload(parseForeignJson(answer.body.toString("utf8")), path, longest);
  } catch {
    return null;
  }
}

/** The text or number at `body:<JSON pointer>` in a payload. Null if the payload has no such value. */
export function valueInPayload(payload: unknown, path: string, longest = maxLength): string | null {
  return bounded(path.slice("body:".length).split("/").slice(1).reduce(memberOf, payload), longest);
}

function memberOf(value: unknown, token: string): unknown {
  const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
  const isObject = typeof value === "object" && value !== null && !isKeptNumber(value) && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}

function bounded(value: unknown, longest: number): string | null {
  const text = numberText(value) ?? value;
  return typeof text === "string" && text !== "" && text.length <= longest ? storableText(text) : null;
}
