import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { addWords } from "../../libraries/search-index/search-words-statement.js";
import { hasSpellings } from "./document-terms.js";
import type { IndexedDocument } from "./indexed-documents.js";
import type { StaleDocument } from "./stale-documents-statement.js";
import { dropUnusedWords } from "./unused-words-statement.js";

// tables: templates, libraries, catalog_documents, catalog_terms

type Writer = Pick<Transaction, "execute" | "tenant">;

/** The words in about 30,000 names. More words are found without typing errors only. */
const maxSpellings = 300_000;

/**
 * Writes documents that have not changed since they were read, and returns their ids. Documents that another transaction
 * has locked are left out.
 */
export async function writeDocuments(writer: Writer, documents: readonly IndexedDocument[]): Promise<Set<string>> {
  const unchangedIds = new Set([
    ...(await lockedUnchanged(writer, "Template", documents)),
    ...(await lockedUnchanged(writer, "Library", documents)),
  ]);
  const currentDocuments = documents.filter(({ document }) => unchangedIds.has(document.document_id));
  if (currentDocuments.length === 0) return unchangedIds;
  const earlier = await dropTerms(writer, [...unchangedIds]);
  await writeTexts(
    writer,
    currentDocuments.map(({ document }) => document),
  );
  await writeTerms(writer, currentDocuments);
  const words = new Set(currentDocuments.flatMap((document) => document.words));
  await addWords(writer, [...words], { maxSpellings });
  await dropUnusedWords(
    writer,
    earlier.filter((word) => !words.has(word)),
  );
  return unchangedIds;
}

const sources = {
  Template: { table: "templates", id: "template_id" },
  Library: { table: "libraries", id: "library_id" },
} as const;

async function lockedUnchanged(
  { execute, tenant }: Writer,
  kind: keyof typeof sources,
  candidates: readonly IndexedDocument[],
): Promise<string[]> {
  const documents = candidates.flatMap(({ document }) => (document.kind === kind ? [document] : []));
  if (documents.length === 0) return [];
  const { table, id } = sources[kind];
  const rows = await execute<{ document_id: string }>(
    `with held as (
       select tenant_id, ${id} from ${table} source join unnest($2::uuid[], $3::text[]) read(document_id, row_version)
         on source.${id} = read.document_id and source.xmin::text = read.row_version
       where source.tenant_id = $1 for no key update of source skip locked)
     update ${table} source set search_stale = false from held
     where source.tenant_id = held.tenant_id and source.${id} = held.${id} returning source.${id} as document_id`,
    [tenant.uuid, documents.map(({ document_id }) => document_id), documents.map(({ row_version }) => row_version)],
  );
  return rows.map(({ document_id }) => document_id);
}

/** Removes the documents' terms. Returns those that a search may have found despite a typing error. */
async function dropTerms({ execute, tenant }: Writer, ids: readonly string[]): Promise<string[]> {
  const rows = await execute<{ term: string; weight: number }>(
    "delete from catalog_terms where tenant_id = $1 and document_id = any($2::uuid[]) returning term, weight",
    [tenant.uuid, ids],
  );
  return [...new Set(rows.flatMap(({ term, weight }) => (hasSpellings(term, weight) ? [term] : [])))];
}

async function writeTexts({ execute, tenant }: Writer, documents: readonly StaleDocument[]): Promise<void> {
  const rows = documents.map((document) => ({ ...document, name_key: document.name.toLowerCase() }));
  await execute(
    `insert into catalog_documents (tenant_id, document_id, kind, name, name_key, title, description, tags, capabilities)
     select $1, document_id, kind, name, name_key, title, left(description, 1000), tags, capabilities
     from jsonb_to_recordset($2::jsonb) document(document_id uuid, kind text, name text, name_key text, title text,
       description text, tags text[], capabilities text[])
     on conflict (tenant_id, document_id) do update set name = excluded.name, name_key = excluded.name_key,
       title = excluded.title, description = excluded.description, tags = excluded.tags,
       capabilities = excluded.capabilities`,
    [tenant.uuid, JSON.stringify(rows)],
  );
}

async function writeTerms({ execute, tenant }: Writer, documents: readonly IndexedDocument[]): Promise<void> {
  const rows = documents.flatMap(({ document, terms }) =>
    [...terms].map(([term, weight]) => ({ id: document.document_id, term, weight })),
  );
  await execute(
    `insert into catalog_terms (tenant_id, document_id, term, weight)
     select $1, document_id, term, weight from unnest($2::uuid[], $3::text[], $4::smallint[]) posted(document_id, term, weight)`,
    [tenant.uuid, rows.map(({ id }) => id), rows.map(({ term }) => term), rows.map(({ weight }) => weight)],
  );
}
