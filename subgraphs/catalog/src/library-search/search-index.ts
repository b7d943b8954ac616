import type { Transaction } from "@factory/runtime/db/database";
import type { SearchSource } from "./search-entry.entity.js";
import { termKinds } from "./search-term.entity.js";
import { type CapabilityText, isSimilarWord, postedTerms, spellingsOf } from "./search-terms.js";

export interface SearchableEntry {
  /** uuid of the library or API client. */
  readonly entryId: string;
  readonly source: SearchSource;
  readonly name: string;
  readonly area: string | null;
  readonly owner: string | null;
  readonly tags: readonly string[];
  readonly status: string;
  readonly capabilities: readonly CapabilityText[];
}

type Writer = Pick<Transaction, "execute" | "tenant">;

/** Filters ignore case and what surrounds a value. */
export const filterKey = (text: string) => text.trim().toLowerCase();

/** Enters what search finds, with the transaction that writes the source. Versions are told apart: `reindexVersions`. */
export async function indexEntry({ execute, tenant }: Writer, entry: SearchableEntry): Promise<void> {
  const { entryId, source, name, area, owner, tags, status } = entry;
  const terms = postedTerms(entry.capabilities);
  await execute(
    `with entry as (
       insert into search_entries
         (tenant_id, entry_id, source, name_key, area_key, owner_key, tags, status, frameworks, versioned)
       values ($1, $2, $3, $4, $5, $6, $7, $8, '{}', false)
       on conflict (tenant_id, entry_id) do update set name_key = excluded.name_key, area_key = excluded.area_key,
         owner_key = excluded.owner_key, tags = excluded.tags, status = excluded.status)
     insert into search_terms (tenant_id, kind, term, entry_id, places)
     select $1, kind, term, $2, places::bit(128)
     from unnest($9::smallint[], $10::text[], $11::text[]) posted(kind, term, places)
     on conflict do nothing`,
    [
      tenant.uuid,
      entryId,
      source,
      name.toLowerCase(),
      area === null ? null : filterKey(area),
      owner === null ? null : filterKey(owner),
      [...new Set(tags.map(filterKey))],
      status,
      terms.map(({ kind }) => kind),
      terms.map(({ term }) => term),
      terms.map(({ places }) => places),
    ],
  );
  const words = terms.filter(({ kind, term }) => kind === termKinds.word && isSimilarWord(term));
  await learnWords(
    { execute, tenant },
    words.map(({ term }) => term),
  );
}

/** Takes an entry out, given the capabilities it was entered with. */
export async function dropEntry(
  { execute, tenant }: Writer,
  entryId: string,
  capabilities: readonly CapabilityText[],
): Promise<void> {
  const terms = postedTerms(capabilities);
  await execute(
    `with entry as (delete from search_entries where tenant_id = $1 and entry_id = $2)
     delete from search_terms term using unnest($3::smallint[], $4::text[]) posted(kind, term)
     where term.tenant_id = $1 and term.kind = posted.kind and term.term = posted.term and term.entry_id = $2`,
    [tenant.uuid, entryId, terms.map(({ kind }) => kind), terms.map(({ term }) => term)],
  );
}

/** Reads again what search knows of a library's versions: call it whenever one was added or changed its state, after
 * the rows are flushed. */
export async function reindexVersions({ execute, tenant }: Writer, entryId: string): Promise<void> {
  // two writers of one library take turns, and the second reads what the first has left
  await execute("select from search_entries where tenant_id = $1 and entry_id = $2 for update", [tenant.uuid, entryId]);
  await execute(
    `with version as (
       select status, case when target_frameworks = '{}' then '{*}' else target_frameworks end as frameworks
       from library_versions where tenant_id = $1 and library_id = $2 and status <> 'Registered'),
     framework as (select distinct unnest(frameworks) as framework from version where status = 'Published'),
     known as (
       insert into search_frameworks (tenant_id, framework)
       select $1, framework from framework where framework <> '*' order by framework on conflict do nothing)
     update search_entries set frameworks = array(select framework from framework order by framework),
       versioned = exists (select from version)
     where tenant_id = $1 and entry_id = $2`,
    [tenant.uuid, entryId],
  );
}

/** In one order for all writers, lest two of them wait for each other. */
async function learnWords({ execute, tenant }: Writer, words: readonly string[]): Promise<void> {
  if (words.length === 0) return;
  const unknown = await execute<{ word: string }>(
    `select asked.word from unnest($2::text[]) asked(word)
     where not exists (select from search_words known
       where known.tenant_id = $1 and known.spelling = asked.word and known.word = asked.word)`,
    [tenant.uuid, words],
  );
  const pairs = unknown.flatMap(({ word }) => spellingsOf(word).map((spelling) => ({ spelling, word })));
  if (pairs.length === 0) return;
  await execute(
    `insert into search_words (tenant_id, spelling, word)
     select $1, spelling, word from unnest($2::text[], $3::text[]) learnt(spelling, word) order by spelling, word
     on conflict do nothing`,
    [tenant.uuid, pairs.map(({ spelling }) => spelling), pairs.map(({ word }) => word)],
  );
}
