import type { SubgraphName } from "@factory/schema/subgraph-names";
import { subgraphNames } from "@factory/schema/subgraph-names";
import type { Client } from "pg";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest } from "./sealed-folder/manifest.js";

// tables: migrations, version

/**
 * Each subgraph's applied migrations, and the version of its job tables. A merged migration is left out, because the
 * list has those that it replaces, which earlier releases know.
 */
export async function installedSchemas(client: Client): Promise<Manifest["schemas"]> {
  const schemas: Manifest["schemas"] = [];
  for (const name of subgraphNames) {
    const { rows: present } = await client.query<{ present: boolean }>(
      "select to_regclass($1) is not null and to_regclass($2) is not null as present",
      [`${name}.migrations`, `${name}_jobs.version`],
    );
    if (present[0]?.present !== true) throw new BackupProblem("The database has no complete installation.");
    const { rows: migrations } = await client.query<{ name: string }>(
      `select name from ${name}.migrations where name !~ '^Merged' order by id`,
    );
    schemas.push({
      name,
      migrations: migrations.map((migration) => migration.name),
      jobTables: await jobTablesVersion(client, name),
    });
  }
  return schemas;
}

/** The data level (`schema-level.ts`). */
export async function installedLevel(client: Client): Promise<number> {
  const { rows: present } = await client.query("select where to_regclass('releases.data') is not null");
  if (present.length === 0) return 0;
  const { rows } = await client.query<{ level: number }>("select level from releases.data");
  return rows[0]?.level ?? 0;
}

/** The version number in pg-boss's tables. */
export async function jobTablesVersion(client: Client, name: SubgraphName): Promise<number> {
  const { rows } = await client.query<{ version: number }>(`select version from ${name}_jobs.version`);
  return rows[0]?.version ?? 0;
}
