import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CatalogItemKind } from "@factory/schema/vocabularies/templates";
import { type DocumentTexts, textWeights } from "./document-terms.js";

// tables: templates, template_versions, libraries, catalog_terms

/** A template's or library's texts that the index does not have yet. */
export interface StaleDocument extends DocumentTexts {
  readonly kind: CatalogItemKind;
  readonly document_id: string;
  /** Changes whenever the row changes, and each change to the texts changes the row. */
  readonly row_version: string;
  /** Whether no search shows it. */
  readonly is_hidden: boolean;
  /** About how many rows the index has for it. */
  readonly rows: number;
}

interface StaleDocuments {
  readonly limit: number;
  /** The documents to read, or to leave out. */
  readonly ids: readonly string[];
  readonly only?: boolean;
}

// The texts in a template.json have no limits of their own.
const contentTexts = (name: string) =>
  `array(select left(value #>> '{}', 100) from jsonb_path_query(content.texts, '$.${name}[0 to 24]') value
     where jsonb_typeof(value) = 'string')`;

const isAsked = (id: string) => `search_stale and (${id} = any($3::uuid[])) = $4::boolean`;

const rowsOf = (id: string) => `(select
    (count(*) + coalesce(sum(length(term) + 1) filter (where weight > ${textWeights.Description}), 0))::int
  from catalog_terms where tenant_id = scope.tenant and document_id = ${id}) as rows`;

/** Texts that a template itself does not have come from its newest version whose content was read. */
const staleTemplates = `select 'Template' as kind, template_id as document_id, template.xmin::text as row_version,
    status = 'Archived' as is_hidden, name,
    left(coalesce(title, content.texts->>'name'), 200) as title,
    left(coalesce(description, content.texts->>'description'), 4000) as description,
    tags || ${contentTexts("shortNames")} || ${contentTexts("classifications")}
      || array_remove(array[category, left(content.texts->>'language', 100)], null) as tags,
    '{}'::text[] as capabilities, ${rowsOf("template_id")}
  from templates template
  left join lateral (select details->'description' as texts from template_versions version
    where version.tenant_id = template.tenant_id and version.template_id = template.template_id and details is not null
    order by created_at desc limit 1) content on true
  where template.tenant_id = scope.tenant and ${isAsked("template_id")} limit $2`;

const staleLibraries = `select 'Library' as kind, library_id as document_id, library.xmin::text as row_version,
    false as is_hidden, package_name as name, title, description,
    tags || array_remove(array[area], null) as tags,
    array(select concat_ws(' ', capability->>'name', capability->>'contract')
      from jsonb_array_elements(capabilities) capability) as capabilities, ${rowsOf("library_id")}
  from libraries library where tenant_id = scope.tenant and ${isAsked("library_id")} limit $2`;

const statement = tenantStatement(
  "catalog_stale_documents",
  `select * from ((${staleTemplates}) union all (${staleLibraries})) document limit $2`,
);

/** Reads documents that have changed since they were indexed. */
export function staleDocuments(
  reader: Database["reader"],
  tenant: Tenant,
  { limit, ids, only = false }: StaleDocuments,
): Promise<StaleDocument[]> {
  return reader.rows<StaleDocument>(statement, tenant, limit, ids, only);
}

const existence = tenantStatement(
  "catalog_search_stale",
  `select exists (select from templates where tenant_id = scope.tenant and search_stale)
    or exists (select from libraries where tenant_id = scope.tenant and search_stale) as stale`,
);

/** Whether the tenant has texts that the index does not have yet. */
export async function hasStaleDocuments(reader: Database["reader"], tenant: Tenant): Promise<boolean> {
  const row = await reader.row<{ stale: boolean }>(existence, tenant);
  return row?.stale ?? false;
}
