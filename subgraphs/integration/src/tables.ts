import { moduleTables } from "@factory/runtime/subgraph/module-tables";
import { mergedMigration } from "./migrations/merged/merged-migration.js";
import { migrations } from "./migrations/migrations.js";
import { integrationModules } from "./modules.js";

/** This subgraph's tables and the migrations that make them. */
export const integrationTables = {
  ...moduleTables(integrationModules),
  merged: mergedMigration,
  migrations,
};
