import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { indexTokens, matchCapability } from "../nuget/capability-match.js";
import { type Framework, parseFramework } from "../nuget/framework.js";
import { isCompatible } from "../nuget/framework-compatibility.js";
import { isPrerelease, parseVersion } from "../nuget/version.js";
import type { SearchLibrariesInput } from "./library.input.js";
import type { LibraryService } from "./library.service.js";
import type { LibrarySearchResultsType } from "./library.type.js";
import { highestFirst, type LibraryRow, type LibraryVersionRow } from "./library.view.js";

const defaultLimit = 20;
const maxLimit = 100;

interface Hit {
  row: LibraryRow;
  /** 1 is best; 0 when no capability was asked. */
  tier: number;
  matchedCapability: string | null;
  latestVersion: string | null;
}

/** One edit away from a token: the weakest match. */
const similarTier = 6;
const tierNames = ["Listed", "ExactName", "ExactContract", "NamePrefix", "AllTokens", "TokenPrefix", "SimilarToken"];

/** Finds libraries by capability: best match first, then those with a usable version, then by name. */
export class LibrarySearchService {
  readonly #libraries: LibraryService;
  readonly #cursors: CursorSeal;

  constructor(libraries: LibraryService, cursors: CursorSeal) {
    this.#libraries = libraries;
    this.#cursors = cursors;
  }

  async search(context: RequestContext, input: SearchLibrariesInput): Promise<LibrarySearchResultsType> {
    const tenant = tenantOf(context);
    const framework = input.targetFramework == null ? undefined : requireFramework(input.targetFramework);
    const capability = input.capability?.trim() || undefined;
    const { area, targetFramework, includeApiClients } = input;
    const scope = { tenant: tenant.tenantId, search: { capability, area, targetFramework, includeApiClients } };
    const limit = Math.min(input.limit ?? defaultLimit, maxLimit);
    const start = input.cursor == null ? 0 : Number(this.#cursors.open(scope, input.cursor));
    const find = async (tokens: string[] | null) =>
      (await this.#libraries.like(tenant, area?.trim() || null, tokens)).flatMap(
        (row) => hitOf(row, capability, framework) ?? [],
      );
    const exact = await find(capability === undefined ? null : indexTokens(capability));
    let hits = exact.filter(({ tier }) => tier < similarTier);
    // the misspelt word may be the only one that would be shared: look at every library, but only when nothing was found
    if (capability !== undefined && hits.length === 0) hits = await find(null);
    hits.sort(bestFirst);
    const end = start + limit;
    return {
      results: hits.slice(start, end).map(({ row, tier, matchedCapability, latestVersion }) => ({
        libraryId: encodeId("lib", row.library_id),
        packageName: row.package_name,
        matchedCapability,
        latestVersion,
        matchedOn: tierNames[tier] ?? null,
      })),
      total: hits.length,
      nextCursor: end < hits.length ? this.#cursors.seal(scope, end) : null,
    };
  }
}

function requireFramework(moniker: string): Framework {
  const framework = parseFramework(moniker);
  if (framework) return framework;
  const detail = `${moniker} is no known framework moniker.`;
  throw new DomainError("RUNTIME_NOT_RECOGNISED", {
    detail,
    errors: [{ pointer: "/targetFramework", code: "UNKNOWN_VALUE", detail }],
  });
}

function hitOf(row: LibraryRow, capability: string | undefined, framework: Framework | undefined): Hit | undefined {
  const match =
    capability === undefined ? { tier: 0, name: row.capabilities[0]?.name ?? null } : bestCapability(row, capability);
  if (!match) return undefined;
  const versions = row.versions ?? [];
  const latestVersion = latest(versions, framework);
  // a library whose versions all need another framework is no answer; one without versions is, last of all
  if (latestVersion === null && versions.length > 0 && framework) return undefined;
  return { row, tier: match.tier, matchedCapability: match.name, latestVersion };
}

function bestCapability({ capabilities }: LibraryRow, query: string): { tier: number; name: string } | undefined {
  let best: { tier: number; name: string } | undefined;
  for (const { name, contract } of capabilities) {
    const tier = matchCapability(query, { name, contract });
    if (tier !== undefined && tier < (best?.tier ?? Number.POSITIVE_INFINITY)) best = { tier, name };
  }
  return best;
}

function latest(versions: readonly LibraryVersionRow[], framework: Framework | undefined): string | null {
  const usable = versions
    .filter(({ status }) => status === "Published")
    .filter(({ target_frameworks }) => framework === undefined || runsOn(target_frameworks, framework))
    .map(({ semantic_version }) => ({ semanticVersion: semantic_version }))
    .sort(highestFirst);
  const stable = usable.find(({ semanticVersion }) => {
    const version = parseVersion(semanticVersion);
    return version !== undefined && !isPrerelease(version);
  });
  return (stable ?? usable[0])?.semanticVersion ?? null;
}

function runsOn(monikers: readonly string[], project: Framework): boolean {
  if (monikers.length === 0) return true;
  return monikers.some((moniker) => {
    const asset = parseFramework(moniker);
    return asset !== undefined && isCompatible(project, asset);
  });
}

function bestFirst(a: Hit, b: Hit): number {
  if (a.tier !== b.tier) return a.tier - b.tier;
  if ((a.latestVersion === null) !== (b.latestVersion === null)) return a.latestVersion === null ? 1 : -1;
  return a.row.package_name.toLowerCase() < b.row.package_name.toLowerCase() ? -1 : 1;
}
