import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { CatalogItemKind } from "@factory/schema/vocabularies/templates";
import type { SearchReader } from "../../libraries/library-search/search-reader.js";
import type { VocabularyRow } from "../../libraries/library-search/vocabulary-statement.js";
import { vocabularyStatement } from "../../libraries/library-search/vocabulary-statement.js";
import { isOneEditAway, minFuzzyLength } from "../../libraries/search-index/capability-match.js";
import { isSimilarWord, spellingsOf } from "../../libraries/search-index/search-terms.js";
import type { CatalogIndex } from "./catalog-index.js";
import type { SearchCatalogInput } from "./catalog-search.input.js";
import type { CatalogSearchResultsType, CatalogSearchResultType } from "./catalog-search.type.js";
import {
  type AskedWord,
  type CatalogPage,
  type CatalogPageRow,
  type CatalogPosition,
  catalogPageStatement,
} from "./catalog-search-statement.js";
import { type CatalogText, queryReadings, textWeights } from "./document-terms.js";

const defaultLimit = 20;
const maxLimit = 100;
const maxWords = 8;
const readScopes = { Template: "templates.read", Library: "libraries.read" } as const;

type Readings = readonly (readonly AskedWord[])[];

/** Searches templates and libraries by the words in their texts. */
export class CatalogSearchService {
  readonly #index: CatalogIndex;
  readonly #reader: SearchReader;
  readonly #cursors: CursorSeal;

  constructor(index: CatalogIndex, reader: SearchReader, cursors: CursorSeal) {
    this.#index = index;
    this.#reader = reader;
    this.#cursors = cursors;
  }

  async search(context: RequestContext, input: SearchCatalogInput): Promise<CatalogSearchResultsType> {
    const tenant = tenantOf(context);
    const kinds = readableKinds(context, input.kinds);
    const words = queryReadings(input.text);
    if (words.some(({ length }) => length > maxWords)) throw tooManyWords();
    const scope = { tenant: tenant.tenantId, text: input.text, kinds };
    const after = input.cursor == null ? undefined : (this.#cursors.open(scope, input.cursor) as SearchedPosition);
    const complete = await this.#index.refresh(tenant);
    if (words.length === 0) return { results: [], total: 0, nextCursor: null, complete };
    const limit = Math.min(input.limit ?? defaultLimit, maxLimit);
    const page = { nameKey: input.text.trim().toLowerCase(), kinds, after, limit: limit + 1 };
    const { rows, fuzzy } = await this.#matches(tenant, words, page);
    const matches = rows.filter(({ document_id }) => document_id !== null);
    const last = matches[limit - 1];
    return {
      results: matches.slice(0, limit).map(resultOf),
      total: rows[0]?.total ?? 0,
      nextCursor: last && matches.length > limit ? this.#cursors.seal(scope, positionOf(last, fuzzy)) : null,
      complete,
    };
  }

  /** The rows that have the words. Where no row has them, the rows that have similar words. */
  async #matches(tenant: Tenant, words: readonly (readonly string[])[], page: AskedPage): Promise<FoundRows> {
    if (page.after?.fuzzy !== true) {
      const exact = words.map((reading) => reading.map((word) => ({ word, similar: [] })));
      const rows = await this.#rows(tenant, { ...page, readings: exact });
      if (page.after !== undefined || (rows[0]?.total ?? 0) > 0) return { rows, fuzzy: false };
    }
    const similar = await this.#similar(tenant, words);
    return { rows: similar ? await this.#rows(tenant, { ...page, readings: similar }) : [], fuzzy: true };
  }

  #rows(tenant: Tenant, page: CatalogPage): Promise<CatalogPageRow[]> {
    const { select, values } = catalogPageStatement(page);
    return this.#reader.rows<CatalogPageRow>(select, tenant, values);
  }

  /** Adds similar words from the tenant's documents to each word. Undefined where the tenant has no similar word. */
  async #similar(tenant: Tenant, readings: readonly (readonly string[])[]): Promise<Readings | undefined> {
    const candidates = [...new Set(readings.flat())].filter(
      (word) => word.length >= minFuzzyLength && isSimilarWord(word),
    );
    if (candidates.length === 0) return undefined;
    const rows = await this.#reader.rows<VocabularyRow>(vocabularyStatement, tenant, [candidates.flatMap(spellingsOf)]);
    const vocabulary = [...new Set(rows.flatMap(({ word }) => word ?? []))];
    const similar = readings.map((words) =>
      words.map((word) => ({
        word,
        similar: candidates.includes(word) ? vocabulary.filter((other) => isOneEditAway(word, other)) : [],
      })),
    );
    return similar.flat().some((word) => word.similar.length > 0) ? similar : undefined;
  }
}

interface AskedPage extends Omit<CatalogPage, "readings"> {
  readonly after: SearchedPosition | undefined;
}

interface FoundRows {
  readonly rows: readonly CatalogPageRow[];
  readonly fuzzy: boolean;
}

interface SearchedPosition extends CatalogPosition {
  /** Whether the pages have words with a typing error. */
  readonly fuzzy: boolean;
}

function readableKinds(context: RequestContext, kinds: SearchCatalogInput["kinds"]): CatalogItemKind[] {
  const { scopes } = principalOf(context);
  const isReadable = (kind: CatalogItemKind) => scopes.has(readScopes[kind]);
  const forbiddenKind = kinds?.find((kind) => !isReadable(kind));
  if (forbiddenKind !== undefined)
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The kind ${forbiddenKind} needs the scope ${readScopes[forbiddenKind]}. Ask for a token with it, or leave the kind out.`,
      requiredScopes: [readScopes[forbiddenKind]],
    });
  return (kinds ? [...new Set(kinds)] : (Object.keys(readScopes) as CatalogItemKind[]).filter(isReadable)).sort();
}

function tooManyWords(): DomainError {
  const detail = `The text has more than ${maxWords} words. Search with fewer words.`;
  return new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer: "/text", code: "TOO_LONG", detail }] });
}

const texts = Object.keys(textWeights) as CatalogText[];

function resultOf(row: CatalogPageRow): CatalogSearchResultType {
  const { kind, name, title, description, tags, capabilities } = row;
  return {
    kind,
    itemId: encodeId(kind === "Template" ? "tpl" : "lib", row.document_id ?? ""),
    name,
    title,
    description,
    tags,
    capabilities,
    matchedIn: texts.find((text) => textWeights[text] === row.weight) ?? "Description",
  };
}

function positionOf({ rank, name_key, document_id }: CatalogPageRow, fuzzy: boolean): SearchedPosition {
  return { rank, nameKey: name_key, documentId: document_id ?? "", fuzzy };
}
