import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { SearchSource } from "./search-entry.entity.js";
import { type CapabilityText, isSimilarWord, postedTerms } from "./search-terms.js";
import { addWords } from "./search-words-statement.js";
import { termKinds } from "./term-kinds.js";

// tables: library_versions, search_frameworks, search_entries, search_postings, libraries

interface SearchableEntry {
  /** The uuid of the library or API client. */
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

/** The form in which filters compare texts: without surrounding spaces, in lower case. */
export const filterKey = (text: string) => text.trim().toLowerCase();

/** The versions of library `$2` that are not Registered, and the frameworks of its Published versions. */
const versionParts = `version as (
    select status, case when target_frameworks = '{}' then '{*}' else target_frameworks end as frameworks
    from library_versions where tenant_id = $1 and library_id = $2 and status <> 'Registered'),
  framework as (select distinct unnest(frameworks) as framework from version where status = 'Published'),
  known as (
    insert into search_frameworks (tenant_id, framework)
    select $1, framework from framework where framework <> '*' order by framework on conflict do nothing)`;
const frameworksOfVersions = "array(select framework from framework order by framework)";

/** Adds an entry to the index, in the transaction that writes its source, after its versions are flushed. */
export async function indexEntry({ execute, tenant }: Writer, entry: SearchableEntry): Promise<void> {
  const { entryId, source, name, area, owner, tags, status } = entry;
  const terms = postedTerms(entry.capabilities);
  await execute(
    `with ${versionParts},
     entry as (
       insert into search_entries
         (tenant_id, entry_id, source, name_key, area_key, owner_key, tags, status, frameworks, versioned)
       values ($1, $2, $3, $4, $5, $6, $7, $8, ${frameworksOfVersions}, exists (select from version))
       on conflict (tenant_id, entry_id) do update set area_key = excluded.area_key,
         owner_key = excluded.owner_key, tags = excluded.tags, status = excluded.status
       returning ${postingKey})
     insert into search_postings (tenant_id, kind, term, api_client, unusable, name_key, entry_id, places)
     select $1, kind, term, api_client, unusable, name_key, $2, places::bit(128)
     from entry, unnest($9::smallint[], $10::text[], $11::text[]) posted(kind, term, places)
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
  await addWords(
    { execute, tenant },
    words.map(({ term }) => term),
  );
}

/** Removes an entry. `capabilities` must be those that it was indexed with. */
export async function dropEntry(
  { execute, tenant }: Writer,
  entryId: string,
  capabilities: readonly CapabilityText[],
): Promise<void> {
  await execute(
    `with entry as (delete from search_entries where tenant_id = $1 and entry_id = $2 returning ${postingKey})
     delete from search_postings posting using entry, unnest($3::smallint[], $4::text[]) posted(kind, term)
     where ${isPosted}`,
    [tenant.uuid, entryId, ...termColumns(capabilities)],
  );
}

/** Updates the index after a library version was added or changed its state. Call it after the rows are flushed. */
export async function reindexVersions({ execute, tenant }: Writer, entryId: string): Promise<void> {
  // the lock makes two writers to one library run one after the other
  const [before] = await execute<{ unusable: boolean }>(
    "select unusable from search_entries where tenant_id = $1 and entry_id = $2 for update",
    [tenant.uuid, entryId],
  );
  const [after] = await execute<{ unusable: boolean }>(
    `with ${versionParts}
     update search_entries set frameworks = ${frameworksOfVersions}, versioned = exists (select from version)
     where tenant_id = $1 and entry_id = $2 returning unusable`,
    [tenant.uuid, entryId],
  );
  if (before && after && before.unusable !== after.unusable) await moveEntry({ execute, tenant }, entryId);
}

/** Moves an entry in the sort order: its first Published version was added, or its last one was recalled. */
async function moveEntry({ execute, tenant }: Writer, entryId: string): Promise<void> {
  const [library] = await execute<{ capabilities: CapabilityText[] }>(
    "select capabilities from libraries where tenant_id = $1 and library_id = $2",
    [tenant.uuid, entryId],
  );
  await execute(
    `update search_postings posting set unusable = not posting.unusable
     from (select source = 'ApiClient' as api_client, not unusable as unusable, name_key
       from search_entries where tenant_id = $1 and entry_id = $2) entry,
       unnest($3::smallint[], $4::text[]) posted(kind, term)
     where ${isPosted}`,
    [tenant.uuid, entryId, ...termColumns(library?.capabilities ?? [])],
  );
}

const postingKey = "source = 'ApiClient' as api_client, unusable, name_key";

/** Compares the whole key of the index, so that each term finds its row by one lookup. */
const isPosted = `posting.tenant_id = $1 and posting.kind = posted.kind and posting.term = posted.term
  and posting.api_client = entry.api_client and posting.unusable = entry.unusable
  and posting.name_key = entry.name_key and posting.entry_id = $2`;

function termColumns(capabilities: readonly CapabilityText[]): [number[], string[]] {
  const terms = postedTerms(capabilities);
  return [terms.map(({ kind }) => kind), terms.map(({ term }) => term)];
}
