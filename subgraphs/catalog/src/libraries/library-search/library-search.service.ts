import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import { requireFramework } from "../../ground/input-problems/require-framework.js";
import { LibraryStatus } from "../libraries/library.type.js";
import { isOneEditAway, minFuzzyLength, spellings } from "../search-index/capability-match.js";
import { filterKey } from "../search-index/search-index-statement.js";
import { isSimilarWord, spellingsOf } from "../search-index/search-terms.js";
import { FrameworkSupport } from "./framework-support.js";
import { latestOf } from "./latest-version.js";
import type { SearchLibrariesInput } from "./library-search.input.js";
import type { LibrarySearchResultsType, LibrarySearchResultType } from "./library-search.type.js";
import { hasWords, type SimilarWords, similarTier } from "./search-match-statement.js";
import type { SearchReader } from "./search-reader.js";
import {
  type SearchFilters,
  type SearchPageRow,
  type SearchPosition,
  SearchStatementBuilder,
} from "./search-statement.js";
import { type VocabularyRow, vocabularyStatement } from "./vocabulary-statement.js";

const defaultLimit = 20;
const maxLimit = 100;
const tierNames = ["Listed", "ExactName", "ExactContract", "NamePrefix", "AllTokens", "TokenPrefix", "SimilarToken"];

interface Vocabulary {
  readonly frameworks: readonly string[];
  /** The tenant's words that share a spelling with a query word. */
  readonly words: readonly string[];
}

/** The parts of a search that are the same for each statement. */
interface SearchRequest {
  readonly tenant: Tenant;
  readonly capability: string | undefined;
  readonly filters: SearchFilters;
  readonly after: SearchPosition | undefined;
  readonly limit: number;
}

/**
 * Searches libraries by capability, ordered by match, then usable versions first, then by name. A search takes at most
 * three statements: the vocabulary, the exact match, and the match with similar words where the exact one found
 * nothing.
 */
export class LibrarySearchService {
  readonly #reader: SearchReader;
  readonly #cursors: CursorSeal;
  readonly #support = new FrameworkSupport();

  constructor(reader: SearchReader, cursors: CursorSeal) {
    this.#reader = reader;
    this.#cursors = cursors;
  }

  async search(context: RequestContext, input: SearchLibrariesInput): Promise<LibrarySearchResultsType> {
    const tenant = tenantOf(context);
    const { cursor, limit: requestedLimit, ...criteria } = input;
    const scope = { tenant: tenant.tenantId, search: criteria };
    const after = cursor == null ? undefined : (this.#cursors.open(scope, cursor) as SearchPosition);
    const framework =
      input.targetFramework == null ? undefined : requireFramework(input.targetFramework, "/targetFramework");
    const capability = input.capability?.trim() || undefined;
    if (capability !== undefined && !hasWords(capability)) return { results: [], total: 0, nextCursor: null };
    // one statement reads frameworks and words; without a framework it runs only when the words are needed
    const vocabulary = framework === undefined ? undefined : await this.#vocabulary(tenant, capability);
    const frameworks = framework && this.#support.usableFrom(framework, vocabulary?.frameworks ?? []);
    const limit = Math.min(requestedLimit ?? defaultLimit, maxLimit);
    const filters = { ...filtersOf(input), frameworks };
    const rows = await this.#page({ tenant, capability, filters, after, limit: limit + 1 }, vocabulary);
    const foundRows = rows.filter(({ entry_id }) => entry_id !== null);
    const last = foundRows[limit - 1];
    return {
      results: foundRows.slice(0, limit).map(resultOf),
      total: rows[0]?.total ?? 0,
      nextCursor: last && foundRows.length > limit ? this.#cursors.seal(scope, positionOf(last)) : null,
    };
  }

  async #page(request: SearchRequest, vocabulary: Vocabulary | undefined): Promise<SearchPageRow[]> {
    const { tenant, capability, after } = request;
    if (capability === undefined) return this.#read(request, new SearchStatementBuilder());
    if (after?.tier !== similarTier) {
      const rows = await this.#read(request, new SearchStatementBuilder().exactly(capability));
      if (after !== undefined || (rows[0]?.total ?? 0) > 0) return rows;
    }
    const { words } = vocabulary ?? (await this.#vocabulary(tenant, capability));
    const similar = similarTo(capability, words);
    return similar.length === 0 ? [] : this.#read(request, new SearchStatementBuilder().similarly(similar));
  }

  #read({ tenant, filters, after, limit }: SearchRequest, builder: SearchStatementBuilder): Promise<SearchPageRow[]> {
    const { select, values } = builder.page(filters, after, limit);
    return this.#reader.rows<SearchPageRow>(select, tenant, values);
  }

  async #vocabulary(tenant: Tenant, capability: string | undefined): Promise<Vocabulary> {
    const rows = await this.#reader.rows<VocabularyRow>(vocabularyStatement, tenant, [
      capability === undefined ? [] : fuzzyWords(capability).flatMap(spellingsOf),
    ]);
    return {
      frameworks: rows.flatMap(({ framework }) => framework ?? []),
      words: [...new Set(rows.flatMap(({ word }) => word ?? []))],
    };
  }
}

const fuzzyWords = (query: string) => [
  ...new Set(
    spellings(query)
      .flat()
      .filter((word) => word.length >= minFuzzyLength && isSimilarWord(word)),
  ),
];

/** Each reading of the query in which the tenant's similar words replace one word. */
function similarTo(query: string, vocabularyWords: readonly string[]): SimilarWords[] {
  const readings = new Map<string, SimilarWords>();
  for (const words of spellings(query)) {
    for (const [at, word] of words.entries()) {
      if (word.length < minFuzzyLength) continue;
      const instead = vocabularyWords.filter((other) => isOneEditAway(word, other));
      if (instead.length > 0) readings.set(`${at} ${words.join(" ")}`, { words, at, instead });
    }
  }
  return [...readings.values()];
}

function filtersOf(input: SearchLibrariesInput): SearchFilters {
  const { area, owner, status, tags, includeApiClients } = input;
  if (status != null && !Object.hasOwn(LibraryStatus, status)) throw unknownStatus();
  return {
    area: keyOf(area),
    owner: keyOf(owner),
    tags: (tags ?? []).map(filterKey),
    status: status ?? undefined,
    includeApiClients: includeApiClients ?? false,
  };
}

const keyOf = (text: string | null | undefined) => filterKey(text ?? "") || undefined;

const unknownStatus = () => invalidEnumValue([{ pointer: "/status", allowed: Object.keys(LibraryStatus) }]);

function positionOf({ tier, unusable, name_key, entry_id }: SearchPageRow): SearchPosition {
  return { tier, unusable, nameKey: name_key, entryId: entry_id ?? "" };
}

function resultOf(row: SearchPageRow): LibrarySearchResultType {
  const { source, name, capability, tier, provider_id } = row;
  const id = encodeId(source === "Library" ? "lib" : "apc", row.entry_id ?? "");
  const apiClientId = source === "ApiClient" ? id : null;
  return {
    libraryId: id,
    packageName: name,
    matchedCapability: capability,
    latestVersion: latestOf(row.versions ?? []),
    matchedOn: tierNames[tier] ?? null,
    source,
    apiClientId,
    providerId: provider_id === null ? null : encodeId("prv", provider_id),
  };
}
