import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { addWords } from "../search-index/search-index-statement.js";
import { isSimilarWord } from "../search-index/search-terms.js";
import type { CatalogItemKind } from "./catalog-document.entity.js";
import { type DocumentTexts, documentTerms, textWeights } from "./document-terms.js";

// tables: templates, template_versions, libraries, catalog_documents, catalog_terms

interface StaleRow extends DocumentTexts {
  document_id: string;
  /** Whether no search shows it. */
  is_hidden: boolean;
}

type Writer = Pick<Transaction, "execute" | "tenant">;

/** Templates whose texts have changed, locked. Rows that another transaction has locked are left to it. Texts
 * that a template itself does not have come from the content of its newest version that was read. */
const staleTemplates = `select template_id as document_id, status = 'Archived' as is_hidden, name,
    coalesce(title, content.texts->>'name') as title,
    coalesce(description, content.texts->>'description') as description,
    tags || coalesce(array(select jsonb_array_elements_text(content.texts->'shortNames')), '{}')
      || coalesce(array(select jsonb_array_elements_text(content.texts->'classifications')), '{}')
      || array_remove(array[category, content.texts->>'language'], null) as tags,
    '{}'::text[] as capabilities
  from templates template
  left join lateral (select details->'description' as texts from template_versions version
    where version.tenant_id = template.tenant_id and version.template_id = template.template_id and details is not null
    order by created_at desc limit 1) content on true
  where template.tenant_id = $1 and search_stale limit $2 for update of template skip locked`;

const staleLibraries = `select library_id as document_id, false as is_hidden, package_name as name, title, description,
    tags || array_remove(array[area], null) as tags,
    array(select concat_ws(' ', capability->>'name', capability->>'contract')
      from jsonb_array_elements(capabilities) capability) as capabilities
  from libraries where tenant_id = $1 and search_stale limit $2 for update skip locked`;

/**
 * Brings at most `limit` documents of each kind up to date. Returns how many were written: fewer than `limit` of each
 * kind means that the transaction has left none, except those that other transactions have locked.
 */
export async function indexStaleDocuments(writer: Writer, limit: number): Promise<number> {
  const { execute, tenant } = writer;
  const templates = await execute<StaleRow>(staleTemplates, [tenant.uuid, limit]);
  const libraries = await execute<StaleRow>(staleLibraries, [tenant.uuid, limit]);
  await writeDocuments(writer, "Template", templates);
  await writeDocuments(writer, "Library", libraries);
  return templates.length + libraries.length;
}

/** Whether the tenant has texts that the index does not have yet. */
export const hasStaleDocuments = `select exists (select from templates where tenant_id = scope.tenant and search_stale)
  or exists (select from libraries where tenant_id = scope.tenant and search_stale) as stale`;

async function writeDocuments(
  { execute, tenant }: Writer,
  kind: CatalogItemKind,
  rows: readonly StaleRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ document_id }) => document_id);
  const documents = rows.map(({ document_id, ...row }) => ({ document_id, ...row, name_key: row.name.toLowerCase() }));
  const terms = rows
    .filter(({ is_hidden }) => !is_hidden)
    .flatMap((row) =>
      [...documentTerms(row)].map(([term, weight]) => ({ document_id: row.document_id, term, weight })),
    );
  await execute("delete from catalog_terms where tenant_id = $1 and document_id = any($2::uuid[])", [tenant.uuid, ids]);
  await execute(
    `with document as (
       insert into catalog_documents (tenant_id, document_id, kind, name, name_key, title, description, tags, capabilities)
       select $1, document_id, $2, name, name_key, title, left(description, 1000), tags, capabilities
       from jsonb_to_recordset($3::jsonb) document(document_id uuid, name text, name_key text, title text,
         description text, tags text[], capabilities text[])
       on conflict (tenant_id, document_id) do update set name = excluded.name, name_key = excluded.name_key,
         title = excluded.title, description = excluded.description, tags = excluded.tags,
         capabilities = excluded.capabilities),
     fresh as (update ${sources[kind]} set search_stale = false where tenant_id = $1
       and ${sourceIds[kind]} = any($4::uuid[]))
     insert into catalog_terms (tenant_id, document_id, term, weight)
     select $1, document_id, term, weight from unnest($5::uuid[], $6::text[], $7::smallint[]) posted(document_id, term, weight)`,
    [
      tenant.uuid,
      kind,
      JSON.stringify(documents),
      ids,
      terms.map(({ document_id }) => document_id),
      terms.map(({ term }) => term),
      terms.map(({ weight }) => weight),
    ],
  );
  const words = terms.filter(({ term, weight }) => weight > textWeights.Description && isSimilarWord(term));
  await addWords({ execute, tenant }, [...new Set(words.map(({ term }) => term))]);
}

const sources = { Template: "templates", Library: "libraries" } as const;
const sourceIds = { Template: "template_id", Library: "library_id" } as const;
