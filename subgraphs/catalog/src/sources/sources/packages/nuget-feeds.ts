import { formatVersion, parseVersion } from "@factory/nuget/version";
import type { EgressResponse } from "@factory/runtime/egress/egress";
import { sourceUnavailable } from "../references/source-failure.js";
import type { FeedPackageRef } from "../references/source-ref.js";
import { packageBody, packageLimits } from "./package-answer.js";
import type { Deadline, PackageDownloads } from "./package-downloads.js";

const indexLimits = { maxBytes: 1024 * 1024, redirects: 0 };
const baseAddressType = "PackageBaseAddress/3.0.0";

/** The configured NuGet v3 feeds, asked in their order. */
export class NugetFeeds {
  readonly #feeds: readonly string[];
  readonly #downloads: PackageDownloads;

  constructor(feeds: readonly string[], downloads: PackageDownloads) {
    this.#feeds = feeds;
    this.#downloads = downloads;
  }

  async download(ref: FeedPackageRef, deadline: Deadline): Promise<Buffer> {
    if (this.#feeds.length === 0)
      throw sourceUnavailable("No NuGet feed is configured. The operator sets NUGET_FEEDS.");
    let failure: unknown;
    for (const feed of this.#feeds) {
      try {
        const base = await this.#baseAddress(feed, deadline);
        const answer = await this.#downloads.get(packageAddress(base, ref), packageLimits, deadline);
        if (answer.status !== 404) return packageBody(answer);
      } catch (error) {
        // Without a pin, a package must not come from a later feed only because an earlier one is down.
        if (ref.sha256 === null || deadline.signal?.aborted) throw error;
        failure ??= error;
      }
    }
    throw (
      failure ??
      sourceUnavailable(`No configured feed has the package ${ref.packageId} ${ref.version}. Check its id and version.`)
    );
  }

  async #baseAddress(feed: string, deadline: Deadline): Promise<string> {
    const answer = await this.#downloads.get(feed, indexLimits, deadline);
    const baseAddress = answer.status === 200 && !answer.truncated ? baseAddressOf(answer) : undefined;
    if (baseAddress === undefined)
      throw sourceUnavailable(
        "A configured NuGet feed has no valid service index. The operator must check NUGET_FEEDS.",
      );
    return baseAddress.endsWith("/") ? baseAddress : `${baseAddress}/`;
  }
}

/** A package's address: its id in lower case, and its normalized version in lower case. */
function packageAddress(base: string, { packageId, version }: FeedPackageRef): string {
  const parsedVersion = parseVersion(version);
  if (parsedVersion === undefined)
    throw sourceUnavailable(`"${version}" is not a valid NuGet version. Use MAJOR.MINOR.PATCH, for example 1.4.0.`);
  const [id, number] = [packageId.toLowerCase(), formatVersion(parsedVersion).toLowerCase()];
  return new URL(`${id}/${number}/${id}.${number}.nupkg`, base).href;
}

function baseAddressOf({ body }: EgressResponse): string | undefined {
  const resources = member(parsedJson(body), "resources");
  if (!Array.isArray(resources)) return undefined;
  const addresses = resources
    .filter((resource) => [member(resource, "@type")].flat().includes(baseAddressType))
    .map((resource) => member(resource, "@id"));
  return addresses.find((address): address is string => typeof address === "string" && URL.canParse(address));
}

function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8").replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
