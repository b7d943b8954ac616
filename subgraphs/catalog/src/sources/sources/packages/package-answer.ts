import type { EgressResponse } from "@factory/runtime/egress/egress";
import { sourceUnavailable } from "../references/source-failure.js";
import { maxPackedBytes, requirePackedSize } from "../references/source-limits.js";

/** The limits for one download. Feeds redirect downloads to their storage. */
export const packageLimits = { maxBytes: maxPackedBytes, redirects: 3 };

/** The package in an answer. Throws SOURCE_UNAVAILABLE and SOURCE_TOO_LARGE. */
export function packageBody({ status, body, truncated }: EgressResponse): Buffer {
  if (status === 200) {
    requirePackedSize(truncated ? maxPackedBytes + 1 : body.length);
    return body;
  }
  if (status === 404 || status === 410) throw sourceUnavailable("The address of the template source has no package.");
  if (status === 401 || status === 403)
    throw sourceUnavailable("The template source refused access. It may need a credential.");
  throw sourceUnavailable(`The template source answered with the HTTP status ${status}.`);
}
