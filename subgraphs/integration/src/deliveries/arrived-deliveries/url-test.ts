import type { UrlTest } from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivingDelivery } from "./arrival.js";
import { requireEchoable } from "./delivery-values.js";

/** The answer to a vendor's test of the URL. */
export interface Challenge {
  readonly challenge: string;
  readonly mediaType: "text/plain" | "application/json";
}

type Request = Pick<ArrivingDelivery, "method" | "headers" | "url">;

/**
 * The answer to a request by which the vendor tests a URL; undefined for another request. Throws VALIDATION_FAILED for
 * a value over 1 KiB.
 */
export function answerToTest(tests: readonly UrlTest[], request: Request): Challenge | undefined {
  for (const { method, answer, member, when, equals } of tests) {
    if (method !== request.method || (when !== undefined && valueOf(when, request) !== equals)) continue;
    const value = answer === undefined ? "" : valueOf(answer, request);
    if (value === undefined) continue;
    const echo = requireEchoable(value);
    return member === undefined
      ? { challenge: echo, mediaType: "text/plain" }
      : { challenge: JSON.stringify({ [member]: echo }), mediaType: "application/json" };
  }
  return undefined;
}

/** A value that occurs once; undefined otherwise. */
function valueOf(path: string, { headers, url }: Request): string | undefined {
  const colon = path.indexOf(":");
  const [kind, name] = [path.slice(0, colon), path.slice(colon + 1)];
  const values = kind === "header" ? (headers.get(name) ?? []) : queryOf(url).getAll(name);
  return values.length === 1 ? values[0] || undefined : undefined;
}

const queryOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? "");
