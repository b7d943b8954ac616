import { ApiClient } from "./api-clients/api-client.entity.js";
import { CompatibilityMatrix } from "./compatibility/compatibility-matrix.entity.js";
import { Execution } from "./executions/record/execution.entity.js";
import { ExecutionChange } from "./executions/record/execution-change.entity.js";
import { ScaffoldFile } from "./executions/record/scaffold-file.entity.js";
import { Library } from "./libraries/library.entity.js";
import { LibraryVersion } from "./libraries/library-version.entity.js";
import { Migration20261121072213_first } from "./migrations/Migration20261121072213_first.js";
import { Migration20261121075513_retention } from "./migrations/Migration20261121075513_retention.js";
import { Migration20261121100045_executions } from "./migrations/Migration20261121100045_executions.js";
import { Migration20261121105059_promotion } from "./migrations/Migration20261121105059_promotion.js";
import { Migration20261121105832_search } from "./migrations/Migration20261121105832_search.js";
import { Migration20261121110000_library_versions } from "./migrations/Migration20261121110000_library_versions.js";
import { Migration20261121110934_library_revisions } from "./migrations/Migration20261121110934_library_revisions.js";
import { Migration20261121112849_search_listing } from "./migrations/Migration20261121112849_search_listing.js";
import { Migration20261121124610_search_postings } from "./migrations/Migration20261121124610_search_postings.js";
import { Migration20261121161406_outbox_wake } from "./migrations/Migration20261121161406_outbox_wake.js";
import { Migration20261122072411_outbox_status } from "./migrations/Migration20261122072411_outbox_status.js";
import { Migration20261122074336_executions_waiting } from "./migrations/Migration20261122074336_executions_waiting.js";
import { Migration20261122103114_list_orders } from "./migrations/Migration20261122103114_list_orders.js";
import { Migration20261122104146_template_details } from "./migrations/Migration20261122104146_template_details.js";
import { Migration20261122104303_foreign_keys } from "./migrations/Migration20261122104303_foreign_keys.js";
import { Migration20261122110358_execution_directory } from "./migrations/Migration20261122110358_execution_directory.js";
import { catalogReferences } from "./references.js";
import { SearchBacklog } from "./search-index/search-backlog.entity.js";
import { SearchEntry } from "./search-index/search-entry.entity.js";
import { SearchFramework } from "./search-index/search-framework.entity.js";
import { SearchPosting } from "./search-index/search-posting.entity.js";
import { SearchWord } from "./search-index/search-word.entity.js";
import { Template } from "./templates/template.entity.js";
import { TemplateVersion } from "./templates/template-version.entity.js";
import { ValidationResult } from "./validations/validation-result.entity.js";

export const catalogTables = {
  references: catalogReferences,
  entities: [
    Template,
    TemplateVersion,
    Execution,
    ExecutionChange,
    ScaffoldFile,
    ValidationResult,
    Library,
    LibraryVersion,
    SearchEntry,
    SearchPosting,
    SearchBacklog,
    SearchWord,
    SearchFramework,
    ApiClient,
    CompatibilityMatrix,
  ],
  migrations: [
    Migration20261121072213_first,
    Migration20261121075513_retention,
    Migration20261121100045_executions,
    Migration20261121105059_promotion,
    Migration20261121105832_search,
    Migration20261121110000_library_versions,
    Migration20261121110934_library_revisions,
    Migration20261121112849_search_listing,
    Migration20261121124610_search_postings,
    Migration20261121161406_outbox_wake,
    Migration20261122072411_outbox_status,
    Migration20261122074336_executions_waiting,
    Migration20261122103114_list_orders,
    Migration20261122104146_template_details,
    Migration20261122104303_foreign_keys,
    Migration20261122110358_execution_directory,
  ],
};
