import { indexTokens, spellings } from "../nuget/capability-match.js";
import { termKinds } from "./search-term.entity.js";
import { afterPrefix, bounded, sequenceTerm } from "./search-terms.js";

/** The sort key of a row, which is also where the next page begins. */
export interface SearchPosition {
  readonly tier: number;
  /** 1: it has no version that can be used. */
  readonly unusable: number;
  readonly nameKey: string;
  readonly entryId: string;
}

export interface SearchFilters {
  readonly area?: string | undefined;
  readonly owner?: string | undefined;
  readonly tags: readonly string[];
  readonly status?: string | undefined;
  readonly includeApiClients: boolean;
  /** Monikers of which one is enough; absent: every framework will do. */
  readonly frameworks?: readonly string[] | undefined;
}

/** Words of which one stands for the word of the query that was not found. */
export interface SimilarWords {
  readonly words: readonly string[];
  readonly at: number;
  readonly instead: readonly string[];
}

export interface SearchPageRow {
  total: number;
  /** Null where the page is empty. */
  entry_id: string | null;
  source: "Library" | "ApiClient";
  tier: number;
  unusable: number;
  name_key: string;
  name: string;
  capability: string | null;
  versions: { semantic_version: string; target_frameworks: string[] }[] | null;
}

export interface SearchStatement {
  readonly select: string;
  readonly values: readonly unknown[];
}

interface PageParts {
  /** A WITH clause, or nothing. */
  readonly ranked: string;
  readonly total: string;
  readonly rows: string;
}

interface RankingParts {
  readonly where: string;
  readonly unusable: string;
  /** The filters leave few entries: they are found first. */
  readonly narrow: boolean;
  readonly after: SearchPosition | undefined;
  readonly limit: number;
}

/** The tier is in the thousands, below it the place of the capability, counted from 1. */
const tierStep = 1000;
/** More words than this are looked up entry by entry instead of being joined: planning a join grows with its tables. */
const joinedWords = 3;

export const similarTier = 6;

/** Builds the one statement of a page: total, sort and cut in PostgreSQL, details for the rows of the page only. */
export class SearchStatementBuilder {
  readonly #values: unknown[] = [];
  readonly #branches: string[] = [];

  /** Capabilities that match on tiers 1 to 5. */
  exactly(query: string): this {
    const asked = spellings(query);
    const sequences = [...new Set(asked.map(sequenceTerm))];
    const keys = this.#bind(sequences);
    this.#branch(1, `kind = ${termKinds.name} and term = any(${keys}::text[])`);
    this.#branch(2, `kind = ${termKinds.contract} and term = any(${keys}::text[])`);
    for (const sequence of sequences)
      this.#branch(3, `kind = ${termKinds.name} and ${this.#range("term", `${sequence} `)}`);
    for (const words of uniqueSequences(asked)) {
      const last = bounded(words.at(-1) ?? "");
      const others = words.slice(0, -1).map(bounded);
      // a word that comes twice is there or is not: it is never begun only
      const slot = others.includes(last) ? `term = ${this.#bind(last)}` : this.#range("term", last);
      const tier = `case when term = ${this.#bind(last)} then 4 else 5 end`;
      this.#wordBranch(tier, slot, others);
    }
    return this;
  }

  /** Capabilities that match on tier 6. */
  similarly(similar: readonly SimilarWords[]): this {
    for (const { words, at, instead } of similar) {
      const others = words.filter((_, index) => index !== at).map(bounded);
      this.#wordBranch(String(similarTier), `term = any(${this.#bind(instead)}::text[])`, others);
    }
    return this;
  }

  page(filters: SearchFilters, after: SearchPosition | undefined, limit: number): SearchStatement {
    const { conditions, unusable } = this.#filters(filters);
    const where = ["entry.tenant_id = scope.tenant", ...conditions].join(" and ");
    const select =
      this.#branches.length === 0 && filters.frameworks === undefined
        ? this.#listing(where, after, limit)
        : this.#ranking({ where, unusable, narrow: isNarrow(filters), after, limit });
    return { select: `${select.ranked} ${pageOf(filters.includeApiClients, select)}`, values: this.#values };
  }

  /** Everything that fits is found, ranked and counted before the page is cut. */
  #ranking(of: RankingParts): PageParts {
    const isSearch = this.#branches.length > 0;
    const matched = isSearch ? `join (${this.#hits(of.narrow)}) matched using (entry_id)` : "";
    const hit = isSearch ? "matched.hit" : "0";
    const columns = `entry_id, entry.source, entry.name_key, ${hit} as hit, ${hit} / ${tierStep} as tier`;
    const from = `from search_entries entry`;
    const ranked =
      isSearch && of.narrow
        ? `with fitting as materialized (
             select entry_id, entry.source, entry.name_key, ${of.unusable} as unusable ${from} where ${of.where}),
           ranked as materialized (select ${columns}, entry.unusable from fitting entry ${matched})`
        : `with ranked as materialized (
             select ${columns}, ${of.unusable} as unusable ${from} ${matched} where ${of.where})`;
    return {
      ranked,
      total: "select count(*)::int as total from ranked",
      rows: `select * from ranked ${this.#after(of.after)}
        order by tier, unusable, name_key, entry_id limit ${this.#bind(of.limit)}`,
    };
  }

  /** Without a query the order is that of an index, which gives the page alone. */
  #listing(where: string, after: SearchPosition | undefined, limit: number): PageParts {
    const key = "entry.unusable, entry.name_key, entry.entry_id";
    const values = after && [
      `${this.#bind(after.unusable === 1)}::boolean`,
      this.#bind(after.nameKey),
      `${this.#bind(after.entryId)}::uuid`,
    ];
    return {
      ranked: "",
      total: `select count(*)::int as total from search_entries entry where ${where}`,
      rows: `select entry.entry_id, entry.source, entry.name_key, 0 as hit, 0 as tier, entry.unusable::int as unusable
        from search_entries entry where ${where} ${values ? `and (${key}) > (${values.join(", ")})` : ""}
        order by ${key} limit ${this.#bind(limit)}`,
    };
  }

  /** An array is looked up per posting; joined, the few entries could each walk all postings of a word. */
  #hits(narrow: boolean): string {
    const fitting = narrow ? "where entry_id = any(array(select entry_id from fitting))" : "";
    const branches = this.#branches.join(" union all ");
    return `select entry_id, min(hit) as hit from (${branches}) branch ${fitting} group by entry_id`;
  }

  #filters(filters: SearchFilters): { conditions: string[]; unusable: string } {
    const { area, owner, tags, status, includeApiClients, frameworks } = filters;
    const conditions: string[] = [];
    if (area !== undefined) conditions.push(`entry.area_key = ${this.#bind(area)}`);
    if (owner !== undefined) conditions.push(`entry.owner_key = ${this.#bind(owner)}`);
    if (tags.length > 0) conditions.push(`entry.tags @> ${this.#bind(tags)}::text[]`);
    if (status !== undefined) conditions.push(`entry.status = ${this.#bind(status)}`);
    if (!includeApiClients) conditions.push("entry.source = 'Library'");
    if (frameworks === undefined) return { conditions, unusable: "(entry.frameworks = '{}')::int" };
    const usable = `entry.frameworks && ${this.#bind(frameworks)}::text[]`;
    conditions.push(`(${usable} or not entry.versioned)`);
    return { conditions, unusable: `(not ${usable})::int` };
  }

  #after(position: SearchPosition | undefined): string {
    if (position === undefined) return "";
    const { tier, unusable, nameKey, entryId } = position;
    const values = [
      `${this.#bind(tier)}::int`,
      `${this.#bind(unusable)}::int`,
      this.#bind(nameKey),
      `${this.#bind(entryId)}::uuid`,
    ];
    return `where (tier, unusable, name_key, entry_id) > (${values.join(", ")})`;
  }

  #branch(tier: number, condition: string): void {
    this.#branches.push(
      `select entry_id, ${tier * tierStep} + position(B'1' in places) as hit from search_terms
       where tenant_id = scope.tenant and ${condition}`,
    );
  }

  /** Capabilities that hold a word of the slot and, in the same capability, all the others. */
  #wordBranch(tier: string, slot: string, others: readonly string[]): void {
    const words = [...new Set(others)].sort((a, b) => b.length - a.length);
    if (words.length === 0) {
      this.#branches.push(
        `select entry_id, (${tier}) * ${tierStep} + position(B'1' in places) as hit from search_terms
         where tenant_id = scope.tenant and kind = ${termKinds.word} and ${slot}`,
      );
      return;
    }
    const joined = words.slice(0, joinedWords).map((word, index) => ({ word, alias: `word_${index}` }));
    const joins = joined.map(
      ({ word, alias }) => `join search_terms ${alias} on ${alias}.tenant_id = scope.tenant
         and ${alias}.kind = ${termKinds.word} and ${alias}.term = ${this.#bind(word)} and ${alias}.entry_id = slot.entry_id`,
    );
    const rest = words.slice(joinedWords);
    if (rest.length > 0)
      joins.push(`join lateral (
        select bit_and(places) as places from search_terms
        where tenant_id = scope.tenant and kind = ${termKinds.word} and term = any(${this.#bind(rest)}::text[])
          and entry_id = slot.entry_id having count(*) = ${this.#bind(rest.length)}) rest on true`);
    const places = [
      "slot.places",
      ...joined.map(({ alias }) => `${alias}.places`),
      ...(rest.length > 0 ? ["rest.places"] : []),
    ];
    this.#branches.push(
      `select entry_id, (${tier}) * ${tierStep} + position(B'1' in places) as hit from (
         select slot.entry_id, slot.term, ${places.join(" & ")} as places
         from (select entry_id, term, places from search_terms
           where tenant_id = scope.tenant and kind = ${termKinds.word} and ${slot}) slot ${joins.join(" ")}) held
       where position(B'1' in places) > 0`,
    );
  }

  #range(column: string, prefix: string): string {
    const from = bounded(prefix);
    const end = afterPrefix(from);
    const above = `${column} >= ${this.#bind(from)}`;
    return end === undefined ? above : `${above} and ${column} < ${this.#bind(end)}`;
  }

  #bind(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length + 1}`;
  }
}

const apiClientJoin = `left join api_clients client
  on client.tenant_id = scope.tenant and page.source = 'ApiClient' and client.api_client_id = page.entry_id`;

const isNarrow = ({ area, owner, tags }: SearchFilters) => area !== undefined || owner !== undefined || tags.length > 0;

function pageOf(includeApiClients: boolean, { total, rows }: PageParts): string {
  return `select counted.total, page.entry_id, page.source, page.tier, page.unusable, page.name_key,
      ${shownColumns(includeApiClients)}
    from (${total}) counted
    left join lateral (${rows}) page on true
    left join libraries library
      on library.tenant_id = scope.tenant and library.library_id = page.entry_id
    ${includeApiClients ? apiClientJoin : ""}
    order by page.tier, page.unusable, page.name_key, page.entry_id`;
}

/** Without a capability in the query the first one is shown. */
function shownColumns(includeApiClients: boolean): string {
  const place = `greatest(page.hit % ${tierStep}, 1)`;
  const ofLibrary = `library.capabilities -> (${place} - 1) ->> 'name'`;
  return `${includeApiClients ? "coalesce(library.package_name, client.key)" : "library.package_name"} as name,
    ${includeApiClients ? `coalesce(${ofLibrary}, client.capabilities[${place}])` : ofLibrary} as capability,
    (select jsonb_agg(jsonb_build_object('semantic_version', version.semantic_version,
       'target_frameworks', version.target_frameworks))
     from library_versions version
     where version.tenant_id = scope.tenant and version.library_id = page.entry_id
       and version.status = 'Published') as versions`;
}

function uniqueSequences(sequences: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(sequences.map((words) => [words.join(" "), words])).values()];
}

/** Whether a query has a word at all. */
export const hasWords = (query: string) => indexTokens(query).length > 0;
