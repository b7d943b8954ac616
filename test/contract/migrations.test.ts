import "reflect-metadata";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import type { DatabaseDefinition } from "@factory/runtime/unit-of-work/database";
import { schemaDrift } from "@factory/runtime/unit-of-work/write-migration";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import { databaseAccess, rows } from "../kit/database.js";

const tables: Record<SubgraphName, Omit<DatabaseDefinition, "connections">> = {
  catalog: catalogTables,
  integration: integrationTables,
  spine: spineTables,
};

describe.each(Object.keys(tables) as SubgraphName[])("the migrations of %s", (schema) => {
  it("create exactly the tables that the entities describe", async () => {
    const connections = schemaConnections(await databaseAccess(), schema);
    expect(await schemaDrift({ connections, ...tables[schema] })).toBe("");
  });

  it("leave no table that another tenant can read", async () => {
    const open = await rows(
      `select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where nspname = $1 and relkind = 'r' and not (relrowsecurity and relforcerowsecurity)
         and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id')`,
      [schema],
    );
    expect(open).toEqual([]);
  });
});
