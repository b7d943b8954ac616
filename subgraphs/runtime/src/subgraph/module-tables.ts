import { MetadataStorage } from "@mikro-orm/core";
import type { TableReferences } from "../db/table-references.js";
import type { DatabaseDefinition } from "../unit-of-work/database.js";
import type { SliceModule } from "./slice-module.js";

type Modules = readonly SliceModule<never>[];

/** All modules' tables, as the database and `npm run migration` need them beside the migrations. */
export function moduleTables(modules: Modules): {
  entities: DatabaseDefinition["entities"];
  references: TableReferences;
} {
  return {
    entities: modules.flatMap(({ entities = [] }) => entities),
    references: Object.assign({}, ...modules.map(({ foreignKeys = {} }) => foreignKeys)) as TableReferences,
  };
}

/** Which slice owns a table: table name to slice name. */
export function tableOwners(modules: Modules): Readonly<Record<string, string>> {
  const tables = new Map(Object.values(MetadataStorage.getMetadata()).map((meta) => [meta.class, meta.tableName]));
  const rows = modules.flatMap(({ slice, entities = [] }) =>
    entities.map((entity) => [tables.get(entity as never) ?? entity.name, slice] as const),
  );
  return Object.fromEntries(rows);
}
