import { formatVersion } from "@factory/nuget/version";
import { lowestIncluded, parseRange } from "@factory/nuget/version-range";

/**
 * A scanned package's version that is compared with advisories: where the catalog does not have the package, the
 * version that a restore takes for the request. Undefined where nothing tells it.
 */
export function comparedVersion(scannedPackage: {
  readonly version: string | null;
  readonly requested: string | null;
}): string | undefined {
  if (scannedPackage.version !== null) return scannedPackage.version;
  const range = parseRange(scannedPackage.requested ?? "");
  const lowest = range && lowestIncluded(range);
  return lowest && formatVersion(lowest);
}
