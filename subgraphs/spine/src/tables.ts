import { moduleTables } from "@factory/runtime/subgraph/module-tables";
import { mergedMigration } from "./migrations/merged/merged-migration.js";
import { replacedMigrations } from "./migrations/replaced-migrations.js";
import { spineModules } from "./modules.js";

/** This subgraph's tables and the migrations that make them. A new migration is added at the end of the list. */
export const spineTables = {
  ...moduleTables(spineModules),
  merged: mergedMigration,
  migrations: [...replacedMigrations],
};
