import type { TableReferences } from "@factory/runtime/db/table-references";

/**
 * Every column that contains the id of a row, with its foreign key or the reason for none. `test/contract` checks that
 * none is missing.
 */
export const catalogReferences: TableReferences = {
  "template_versions.template_id": {
    to: "templates.template_id",
    onDelete: "no action",
    why: "A version belongs to its template and is reached only through it.",
  },
  "library_versions.library_id": {
    to: "libraries.library_id",
    onDelete: "no action",
    why: "A version belongs to its library and is reached only through it.",
  },
  "executions.template_version_id": {
    to: "template_versions.template_version_id",
    onDelete: "no action",
    why: "An execution renders the version, a retry renders it again, and the version is shown with the execution.",
  },
  "executions.template_id": { to: null, why: "A copy from the version, which has a foreign key." },
  "executions.retry_of": { to: null, why: "History: a retry has everything that it needs." },
  "executions.scaffold_output_id": { to: null, why: "This column is the id of the output itself." },
  "execution_changes.execution_id": {
    to: "executions.execution_id",
    onDelete: "cascade",
    why: "The steps belong to the execution.",
  },
  "scaffold_files.scaffold_output_id": {
    to: "executions.scaffold_output_id",
    onDelete: "cascade",
    why: "The files belong to the output of the execution.",
  },
  "validation_results.template_version_id": {
    to: "template_versions.template_version_id",
    onDelete: "cascade",
    why: "The findings belong to the content of the version.",
  },
  "compatibility_matrices.template_version_id": {
    to: null,
    why: "An evaluation is stored as it was answered, even if its template version is removed.",
  },
  "search_entries.entry_id": {
    to: null,
    why: "The id of a library or of an API client. The row is rebuilt from them.",
  },
  "search_postings.entry_id": {
    to: null,
    why: "The rows are rebuilt from their entry. A library has some dozens of them.",
  },
  "api_clients.provider_id": {
    to: null,
    why: "A provider is a row of the integration subgraph, whose events may arrive late.",
  },
  "api_clients.api_client_id": { to: null, why: "A row of the integration subgraph." },
  "api_clients.status_event_id": { to: null, why: "Events are removed earlier than the state that they set." },
};
