import { Migration20261121072213_first } from "./Migration20261121072213_first.js";
import { Migration20261121075513_retention } from "./Migration20261121075513_retention.js";
import { Migration20261121100045_executions } from "./Migration20261121100045_executions.js";
import { Migration20261121105059_promotion } from "./Migration20261121105059_promotion.js";
import { Migration20261121105832_search } from "./Migration20261121105832_search.js";
import { Migration20261121110000_library_versions } from "./Migration20261121110000_library_versions.js";
import { Migration20261121110934_library_revisions } from "./Migration20261121110934_library_revisions.js";
import { Migration20261121112849_search_listing } from "./Migration20261121112849_search_listing.js";
import { Migration20261121124610_search_postings } from "./Migration20261121124610_search_postings.js";
import { Migration20261121161406_outbox_wake } from "./Migration20261121161406_outbox_wake.js";
import { Migration20261122072411_outbox_status } from "./Migration20261122072411_outbox_status.js";
import { Migration20261122074336_executions_waiting } from "./Migration20261122074336_executions_waiting.js";
import { Migration20261122103114_list_orders } from "./Migration20261122103114_list_orders.js";
import { Migration20261122104146_template_details } from "./Migration20261122104146_template_details.js";
import { Migration20261122104303_foreign_keys } from "./Migration20261122104303_foreign_keys.js";
import { Migration20261122110358_execution_directory } from "./Migration20261122110358_execution_directory.js";
import { Migration20261122182830_tenant_projections } from "./Migration20261122182830_tenant_projections.js";
import { Migration20261122184235_execution_reservations } from "./Migration20261122184235_execution_reservations.js";
import { Migration20261123014833_api_client_details } from "./Migration20261123014833_api_client_details.js";
import { Migration20261123114632_pull_requests } from "./Migration20261123114632_pull_requests.js";
import { Migration20261127231155_list_times } from "./Migration20261127231155_list_times.js";
import { Migration20261128070041_foreign_json } from "./Migration20261128070041_foreign_json.js";
import { Migration20261128190000_schema_origins } from "./Migration20261128190000_schema_origins.js";
import { Migration20261128190106_catalog_search } from "./Migration20261128190106_catalog_search.js";
import { Migration20261128191000_replaced_drafts } from "./Migration20261128191000_replaced_drafts.js";
import { Migration20261128191100_replaced_draft_keys } from "./Migration20261128191100_replaced_draft_keys.js";
import { Migration20261128191717_dependency_scans } from "./Migration20261128191717_dependency_scans.js";
import { Migration20261128191718_dependency_scan_keys } from "./Migration20261128191718_dependency_scan_keys.js";
import { Migration20261128192000_template_descriptions } from "./Migration20261128192000_template_descriptions.js";
import { Migration20261128223100_search_again } from "./Migration20261128223100_search_again.js";
import { Migration20261129064815_repositories } from "./Migration20261129064815_repositories.js";
import { Migration20261129064816_repository_keys } from "./Migration20261129064816_repository_keys.js";

/**
 * In the order in which a database runs them; `npm run migration` adds new ones. Those that the merged migration replaces
 * in a new database go after the first release.
 */
export const migrations = [
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
  Migration20261122182830_tenant_projections,
  Migration20261122184235_execution_reservations,
  Migration20261123014833_api_client_details,
  Migration20261123114632_pull_requests,
  Migration20261127231155_list_times,
  Migration20261128070041_foreign_json,
  Migration20261128190106_catalog_search,
  Migration20261128190000_schema_origins,
  Migration20261128191000_replaced_drafts,
  Migration20261128191100_replaced_draft_keys,
  Migration20261128192000_template_descriptions,
  Migration20261128191717_dependency_scans,
  Migration20261128191718_dependency_scan_keys,
  Migration20261128223100_search_again,
  Migration20261129064815_repositories,
  Migration20261129064816_repository_keys,
];
