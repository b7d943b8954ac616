import type { CatalogItemKind } from "@factory/schema/vocabularies/templates";
import { afterPrefix } from "../../libraries/search-index/search-terms.js";

// tables: catalog_documents, catalog_terms

/** One query word, with the words that it may stand for after a typing error. */
export interface AskedWord {
  readonly word: string;
  readonly similar: readonly string[];
}

/** A row's sort key, which is also where the next page begins. */
export interface CatalogPosition {
  readonly rank: number;
  readonly nameKey: string;
  readonly documentId: string;
}

export interface CatalogPage {
  /** Readings of the query. A document matches where it has every word in one reading. */
  readonly readings: readonly (readonly AskedWord[])[];
  /** The query in lower case, which is compared with names as a whole. */
  readonly nameKey: string;
  readonly kinds: readonly CatalogItemKind[];
  readonly after: CatalogPosition | undefined;
  readonly limit: number;
}

export interface CatalogPageRow {
  total: number;
  /** Null where the page is empty. */
  document_id: string | null;
  kind: CatalogItemKind;
  name: string;
  name_key: string;
  title: string | null;
  description: string | null;
  tags: string[];
  capabilities: string[];
  rank: number;
  weight: number;
}

/** The factors for a word's weight: the word itself, its beginning, and a word with one typing error. */
const quality = { exact: 4, beginning: 2, similar: 1 };
/** A query that is the whole name, or its beginning, comes before all other matches: eight words reach at most 160. */
const nameBonus = { whole: 1_000, beginning: 500 };
/** One letter begins too many words. */
const minPrefixLength = 2;

/**
 * A page's statement and its values from `$2` on. A document's rank is the sum over its words of weight times
 * quality, the best for each word.
 */
export function catalogPageStatement(page: CatalogPage): { select: string; values: unknown[] } {
  const values: unknown[] = [];
  const bind = (value: unknown) => {
    values.push(value);
    return `$${values.length + 1}`;
  };
  const readings = page.readings.map((words) => readingOf(words, bind));
  const nameKey = bind(page.nameKey);
  const kinds = bind(page.kinds);
  const after = page.after
    ? `where (-rank, name_key, document_id) > (${bind(-page.after.rank)}::int, ${bind(page.after.nameKey)}, ${bind(page.after.documentId)}::uuid)`
    : "";
  const select = `with matched as (
        select document_id, max(score)::int as score, max(weight) as weight
        from (${readings.join(" union all ")}) reading group by document_id),
      ranked as materialized (
        select matched.document_id, matched.weight, document.name_key,
          matched.score + case when document.name_key = ${nameKey} then ${nameBonus.whole}
            when starts_with(document.name_key, ${nameKey}) then ${nameBonus.beginning} else 0 end as rank
        from matched join catalog_documents document on document.document_id = matched.document_id
        where document.tenant_id = scope.tenant and document.kind = any(${kinds}::text[])),
      page as (select * from ranked ${after} order by rank desc, name_key, document_id limit ${bind(page.limit)})
    select counted.total, page.*, shown.kind, shown.name, shown.title, shown.description, shown.tags, shown.capabilities
    from (select count(*)::int as total from ranked) counted
    left join page on true
    left join catalog_documents shown on shown.tenant_id = scope.tenant and shown.document_id = page.document_id
    order by page.rank desc, page.name_key, page.document_id`;
  return { select, values };
}

function readingOf(words: readonly AskedWord[], bind: (value: unknown) => string): string {
  const hits = words.map(({ word, similar }, place) => {
    const wordParameter = bind(word);
    const score = `weight * case when term = ${wordParameter} then ${quality.exact} when starts_with(term, ${wordParameter}) then ${quality.beginning} else ${quality.similar} end`;
    return `select document_id, ${place} as place, max(${score}) as score, max(weight) as weight from catalog_terms
      where tenant_id = scope.tenant and (${conditionsOf(word, wordParameter, similar, bind).join(" or ")}) group by document_id`;
  });
  return `select document_id, sum(score) as score, max(weight) as weight from (${hits.join(" union all ")}) hit
    group by document_id having count(*) = ${words.length}`;
}

function conditionsOf(
  word: string,
  wordParameter: string,
  similar: readonly string[],
  bind: (value: unknown) => string,
) {
  const end = word.length < minPrefixLength ? undefined : afterPrefix(word);
  const conditions = [
    end === undefined ? `term = ${wordParameter}` : `(term >= ${wordParameter} and term < ${bind(end)})`,
  ];
  if (similar.length > 0) conditions.push(`term = any(${bind(similar)}::text[])`);
  return conditions;
}
