// Written by `npm run merge-migrations`.

import type { MergedMigration } from "@factory/runtime/unit-of-work/merged-migration";
import { compatibility } from "./compatibility.js";
import { executions } from "./executions.js";
import { foreignKeys } from "./foreign-keys.js";
import { git } from "./git.js";
import { ground } from "./ground.js";
import { libraries } from "./libraries.js";
import { runtime } from "./runtime.js";
import { templates } from "./templates.js";

/** The tables of the catalog as the replaced migrations make them. */
export const mergedMigration: MergedMigration = {
  name: "Merged20261129064816",
  replaces: [
    "Migration20261121072213_first",
    "Migration20261121075513_retention",
    "Migration20261121100045_executions",
    "Migration20261121105059_promotion",
    "Migration20261121105832_search",
    "Migration20261121110000_library_versions",
    "Migration20261121110934_library_revisions",
    "Migration20261121112849_search_listing",
    "Migration20261121124610_search_postings",
    "Migration20261121161406_outbox_wake",
    "Migration20261122072411_outbox_status",
    "Migration20261122074336_executions_waiting",
    "Migration20261122103114_list_orders",
    "Migration20261122104146_template_details",
    "Migration20261122104303_foreign_keys",
    "Migration20261122110358_execution_directory",
    "Migration20261122182830_tenant_projections",
    "Migration20261122184235_execution_reservations",
    "Migration20261123014833_api_client_details",
    "Migration20261123114632_pull_requests",
    "Migration20261127231155_list_times",
    "Migration20261128070041_foreign_json",
    "Migration20261128190106_catalog_search",
    "Migration20261128190000_schema_origins",
    "Migration20261128191000_replaced_drafts",
    "Migration20261128191100_replaced_draft_keys",
    "Migration20261128192000_template_descriptions",
    "Migration20261128191717_dependency_scans",
    "Migration20261128191718_dependency_scan_keys",
    "Migration20261128223100_search_again",
    "Migration20261129064815_repositories",
    "Migration20261129064816_repository_keys",
  ],
  statements: [
    ...compatibility,
    ...executions,
    ...runtime,
    ...libraries,
    ...templates,
    ...ground,
    ...git,
    ...foreignKeys,
  ],
};
