import type { EgressResponse } from "@factory/runtime/egress/egress";
import { sourceUnavailable } from "../references/source-failure.js";
import { maxPackedBytes, requirePackedSize } from "../references/source-limits.js";

/** Feeds answer a download with a redirect to their storage. */
export const packageLimits = { maxBytes: maxPackedBytes, redirects: 3 };

/** The package, or the sentence for what came instead. */
export function packageBody({ status, body, truncated }: EgressResponse): Buffer {
  if (status === 200) {
    requirePackedSize(truncated ? maxPackedBytes + 1 : body.length);
    return body;
  }
  if (status === 404 || status === 410) throw sourceUnavailable("There is no package at this address.");
  if (status === 401 || status === 403) throw sourceUnavailable("The template source does not let us in.");
  throw sourceUnavailable(`The template source answers with status ${status}.`);
}
