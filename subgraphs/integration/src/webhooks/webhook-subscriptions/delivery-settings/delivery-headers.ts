import { isReservedHeader } from "@factory/runtime/egress/reserved-header";
import type { FieldError } from "@factory/runtime/errors/domain-error";
import { pointerToken } from "@factory/runtime/errors/json-pointer";

const limits = { headers: 20, nameLength: 100, valueLength: 1024, totalLength: 8192 };

// RFC 9110, sections 5.1 and 5.5, without obs-text and tabs
const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valueForm = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that the platform or HTTP itself sets, beside those in `isReservedHeader`. */
const reservedNames = new Set([
  ...["accept", "accept-encoding", "date", "forwarded", "http2-settings", "max-forwards", "origin", "range", "referer"],
  ...["traceparent", "tracestate", "user-agent", "via"],
]);
const reservedPrefixes = ["webhook-", "svc-", "ce-", "proxy-", "sec-", "x-forwarded-", "content-", "if-"];
const secret = /authorization|cookie|token|secret|password|passwd|api-?key|signature|session|credential/;

/** The errors in a subscription's headers, with JSON pointers. */
export function headerProblems(headers: Readonly<Record<string, unknown>>, pointer: string): FieldError[] {
  const names = Object.keys(headers);
  if (names.length > limits.headers)
    return [{ pointer, code: "TOO_LONG", detail: `Must have at most ${limits.headers} headers.` }];
  if (JSON.stringify(headers).length > limits.totalLength)
    return [{ pointer, code: "TOO_LONG", detail: `Must be at most ${limits.totalLength} characters of JSON.` }];
  const lower = names.map((name) => name.toLowerCase());
  return names.flatMap((name, place): FieldError[] => {
    const at = `${pointer}/${pointerToken(name)}`;
    const detail = lower.indexOf(name.toLowerCase()) < place ? "The header is there twice." : nameProblem(name);
    if (detail !== undefined) return [{ pointer: at, code: "FORMAT", detail }];
    const value = headers[name];
    if (typeof value !== "string") return [{ pointer: at, code: "TYPE", detail: "Must be a string." }];
    if (value.length > limits.valueLength)
      return [{ pointer: at, code: "TOO_LONG", detail: `Must be at most ${limits.valueLength} characters.` }];
    if (!valueForm.test(value))
      return [{ pointer: at, code: "FORMAT", detail: "Must be printable ASCII, without spaces at its ends." }];
    return [];
  });
}

function nameProblem(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (name.length > limits.nameLength || !nameForm.test(name))
    return `A name must be a token of HTTP with 1 to ${limits.nameLength} characters.`;
  if (
    isReservedHeader(lower) ||
    reservedNames.has(lower) ||
    reservedPrefixes.some((prefix) => lower.startsWith(prefix))
  )
    return "The platform or HTTP itself sets this header.";
  if (secret.test(lower))
    return "A header of a subscription is stored and shown as plain text, so it cannot have a secret. The signature proves the sender.";
  return undefined;
}

/** The headers as they are sent, with names in lower case. */
export const sentHeaders = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
