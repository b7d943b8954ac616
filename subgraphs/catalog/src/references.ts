import type { TableReferences } from "@factory/runtime/db/table-references";

/** Every column that names a row, and whether PostgreSQL holds both together. `test/contract` asks for a word on each. */
export const catalogReferences: TableReferences = {
  "template_versions.template_id": {
    to: "templates.template_id",
    onDelete: "no action",
    why: "A version is reached by its template alone.",
  },
  "library_versions.library_id": {
    to: "libraries.library_id",
    onDelete: "no action",
    why: "A version is reached by its library alone.",
  },
  "executions.template_version_id": {
    to: "template_versions.template_version_id",
    onDelete: "no action",
    why: "The version is rendered, rendered again by a retry, and shown with the execution.",
  },
  "executions.template_id": { to: null, why: "Copied from the version, which has a key." },
  "executions.retry_of": { to: null, why: "History: a retry holds everything that it needs." },
  "executions.scaffold_output_id": { to: null, why: "An id of its own." },
  "execution_changes.execution_id": {
    to: "executions.execution_id",
    onDelete: "cascade",
    why: "Steps of the execution.",
  },
  "scaffold_files.scaffold_output_id": {
    to: "executions.scaffold_output_id",
    onDelete: "cascade",
    why: "Parts of what the execution made.",
  },
  "validation_results.template_version_id": {
    to: "template_versions.template_version_id",
    onDelete: "cascade",
    why: "Findings in the content of the version.",
  },
  "compatibility_matrices.template_version_id": {
    to: null,
    why: "An evaluation is kept as it was answered, whatever becomes of what it names.",
  },
  "search_entries.entry_id": { to: null, why: "Names a library or an API client; rebuilt from them." },
  "search_postings.entry_id": { to: null, why: "Rebuilt from its entry; some dozens of rows for each library." },
  "api_clients.provider_id": { to: null, why: "A provider is a row of integration, whose events may come late." },
  "api_clients.api_client_id": { to: null, why: "A row of integration." },
  "api_clients.status_event_id": { to: null, why: "An event is forgotten before what it told." },
};
