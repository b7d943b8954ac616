import {
  type Bind,
  begunBranch,
  heldBranch,
  heldTier,
  namedBranches,
  onlyWord,
  postingColumns,
  postingOrder,
  type SimilarWords,
  similarBranches,
  tierStep,
  wordBranches,
} from "./search-match-statement.js";

// tables: search_entries, api_clients, libraries, library_versions

/** A row's sort key, which is also where the next page begins. */
export interface SearchPosition {
  readonly tier: number;
  /** 1 where the row has no usable version, else 0. */
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
  /** The monikers that are accepted; absent where every framework is. */
  readonly frameworks?: readonly string[] | undefined;
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
  /** Set for API clients, null for libraries. */
  provider_id: string | null;
  capability: string | null;
  /** The versions that can be used. */
  versions: string[] | null;
}

interface SearchStatement {
  readonly select: string;
  readonly values: readonly unknown[];
}

interface PageParts {
  /** A WITH clause, or an empty text. */
  readonly ranked: string;
  readonly total: string;
  readonly rows: string;
}

interface OrderedPart {
  readonly includeApiClients: boolean;
  readonly after: SearchPosition | undefined;
  readonly limit: number;
}

interface RankingParts {
  readonly where: string;
  readonly unusable: string;
  /** Whether the filters leave so few entries that these are selected first. */
  readonly narrow: boolean;
  readonly after: SearchPosition | undefined;
  readonly limit: number;
}

/** Builds a page's statement. PostgreSQL counts, sorts and cuts; details are read only for the page's rows. */
export class SearchStatementBuilder {
  readonly #values: unknown[] = [];
  #word: string | undefined;
  #branches: ((bind: Bind) => string[]) | undefined;

  /** Capabilities that match on tiers 1 to 5. */
  exactly(query: string): this {
    this.#word = onlyWord(query);
    this.#branches = (bind) => [...namedBranches(query, bind), ...wordBranches(query, bind)];
    return this;
  }

  /** Capabilities that match on tier 6. */
  similarly(similar: readonly SimilarWords[]): this {
    this.#branches = (bind) => similarBranches(similar, bind);
    return this;
  }

  page(filters: SearchFilters, after: SearchPosition | undefined, limit: number): SearchStatement {
    const { includeApiClients, frameworks } = filters;
    const page =
      this.#word !== undefined && isUnfiltered(filters)
        ? this.#inOrder(this.#word, { includeApiClients, after, limit })
        : this.#filtered(filters, after, limit);
    const usable =
      frameworks && `and (target_frameworks = '{}' or target_frameworks && ${this.#bind(frameworks)}::text[])`;
    return { select: `${page.ranked} ${pageOf(page, includeApiClients, usable ?? "")}`, values: this.#values };
  }

  #filtered(filters: SearchFilters, after: SearchPosition | undefined, limit: number): PageParts {
    const { conditions, unusable } = this.#filters(filters);
    const where = ["entry.tenant_id = scope.tenant", ...conditions].join(" and ");
    return this.#branches === undefined && filters.frameworks === undefined
      ? this.#listing(where, after, limit)
      : this.#ranking({ where, unusable, narrow: isNarrow(filters), after, limit });
  }

  /**
   * Reads the entries that hold a word from the index in their order, up to the end of the page. Only better matches
   * and matches with longer words are sorted.
   */
  #inOrder(word: string, { includeApiClients, after, limit }: OrderedPart): PageParts {
    const bind: Bind = (value) => this.#bind(value);
    const clientFilter = includeApiClients ? "true" : "not api_client";
    const best = (branches: readonly string[]) =>
      `select ${postingColumns}, min(hit) as hit from (${branches.join(" union all ")}) branch where ${clientFilter}`;
    const heldRows = heldBranch(word, bind);
    // not an anti-join: with an estimate that few entries are named, the planner would scan them for each of the word's
    // entries
    const heldSource = `from (${heldRows}) held where ${clientFilter} and entry_id not in (select entry_id from named)`;
    const cut = bind(limit);
    return {
      ranked: `with named as materialized (${best(namedBranches(word, bind))} group by ${postingColumns}),
        begun as materialized (${best([begunBranch(word, bind)])}
          and entry_id not in (select entry_id from named)
          and entry_id not in (select entry_id from (${heldRows}) held) group by ${postingColumns})`,
      total: `select ((select count(*) from named) + (select count(*) from begun) + (select count(*) ${heldSource}))::int as total`,
      rows: `select entry_id, case when api_client then 'ApiClient' else 'Library' end as source, name_key, hit, tier,
          unusable::int as unusable
        from (select ${postingColumns}, hit, hit / ${tierStep} as tier from (
          select ${postingColumns}, hit from named
          union all (select ${postingColumns}, hit ${heldSource} ${this.#afterHeld(after)} order by ${postingOrder} limit ${cut})
          union all select ${postingColumns}, hit from begun) hits) ranked
        ${after ? `where (tier, ${postingOrder}) > (${bind(after.tier)}::int, ${this.#order(after)})` : ""}
        order by tier, ${postingOrder} limit ${cut}`,
    };
  }

  /** The position in the index, where the page before ended among the entries that hold the word. */
  #afterHeld(after: SearchPosition | undefined): string {
    if (after === undefined || after.tier < heldTier) return "";
    return after.tier > heldTier ? "and false" : `and (${postingOrder}) > (${this.#order(after)})`;
  }

  /** Selects, ranks and counts all matching entries before the page is cut. */
  #ranking(of: RankingParts): PageParts {
    const isSearch = this.#branches !== undefined;
    const matchJoin = isSearch ? `join (${this.#hits(of.narrow)}) matched using (entry_id)` : "";
    const hit = isSearch ? "matched.hit" : "0";
    const columns = `entry_id, entry.source, entry.name_key, ${hit} as hit, ${hit} / ${tierStep} as tier`;
    const from = `from search_entries entry`;
    const rankedRows =
      isSearch && of.narrow
        ? `with fitting as materialized (
             select entry_id, entry.source, entry.name_key, ${of.unusable} as unusable ${from} where ${of.where}),
           ranked as materialized (select ${columns}, entry.unusable from fitting entry ${matchJoin})`
        : `with ranked as materialized (
             select ${columns}, ${of.unusable} as unusable ${from} ${matchJoin} where ${of.where})`;
    return {
      ranked: rankedRows,
      total: "select count(*)::int as total from ranked",
      rows: `select * from ranked ${this.#after(of.after)}
        order by tier, unusable, name_key, entry_id limit ${this.#bind(of.limit)}`,
    };
  }

  /** Without a query an index gives the order, so only the page's rows are read. */
  #listing(where: string, after: SearchPosition | undefined, limit: number): PageParts {
    const key = "entry.unusable, entry.name_key, entry.entry_id";
    return {
      ranked: "",
      total: `select count(*)::int as total from search_entries entry where ${where}`,
      rows: `select entry.entry_id, entry.source, entry.name_key, 0 as hit, 0 as tier, entry.unusable::int as unusable
        from search_entries entry where ${where} ${after ? `and (${key}) > (${this.#order(after)})` : ""}
        order by ${key} limit ${this.#bind(limit)}`,
    };
  }

  /** The few entries are compared as an array: in a join each of them could scan all of a word's postings. */
  #hits(narrow: boolean): string {
    const fitting = narrow ? "where entry_id = any(array(select entry_id from fitting))" : "";
    const branches = (this.#branches?.((value) => this.#bind(value)) ?? []).join(" union all ");
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

  /** The values for `postingOrder`. */
  #order({ unusable, nameKey, entryId }: SearchPosition): string {
    return `${this.#bind(unusable === 1)}::boolean, ${this.#bind(nameKey)}, ${this.#bind(entryId)}::uuid`;
  }

  #bind(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length + 1}`;
  }
}

const apiClientJoin = `left join api_clients client
  on client.tenant_id = scope.tenant and page.source = 'ApiClient' and client.api_client_id = page.entry_id`;

const isUnfiltered = (filters: SearchFilters) =>
  !isNarrow(filters) && filters.status === undefined && filters.frameworks === undefined;

const isNarrow = ({ area, owner, tags }: SearchFilters) => area !== undefined || owner !== undefined || tags.length > 0;

function pageOf({ total, rows }: PageParts, includeApiClients: boolean, usableVersion: string): string {
  return `select counted.total, page.entry_id, page.source, page.tier, page.unusable, page.name_key,
      ${shownColumns(includeApiClients, usableVersion)}
    from (${total}) counted
    left join lateral (${rows}) page on true
    left join libraries library
      on library.tenant_id = scope.tenant and library.library_id = page.entry_id
    ${includeApiClients ? apiClientJoin : ""}
    order by page.tier, page.unusable, page.name_key, page.entry_id`;
}

/** Without a capability in the query the first one is shown. */
function shownColumns(includeApiClients: boolean, usableVersion: string): string {
  const place = `greatest(page.hit % ${tierStep}, 1)`;
  const ofLibrary = `library.capabilities -> (${place} - 1) ->> 'name'`;
  return `${includeApiClients ? "coalesce(library.package_name, client.key)" : "library.package_name"} as name,
    ${includeApiClients ? "client.provider_id" : "null"} as provider_id,
    ${includeApiClients ? `coalesce(${ofLibrary}, client.capabilities[${place}])` : ofLibrary} as capability,
    (select json_agg(semantic_version) from library_versions version
     where version.tenant_id = scope.tenant and version.library_id = page.entry_id
       and version.status = 'Published' ${usableVersion}) as versions`;
}
