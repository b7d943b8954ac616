import { formatVersion } from "@factory/nuget/version";
import { lowestIncluded, parseRange } from "@factory/nuget/version-range";

/**
 * The version of a scanned package that is compared with advisories: of one that the catalog does not have, the version
 * that a restore takes for the request. Undefined where nothing tells it.
 */
export function comparedVersion(scanned: {
  readonly version: string | null;
  readonly requested: string | null;
}): string | undefined {
  if (scanned.version !== null) return scanned.version;
  const range = parseRange(scanned.requested ?? "");
  const lowest = range && lowestIncluded(range);
  return lowest && formatVersion(lowest);
}
