import "reflect-metadata";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { removeData, temporaryDataDirectory } from "@factory/platform/client/platform-process";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { createLogger } from "@factory/runtime/telemetry/logger";
import type { DatabaseDefinition } from "@factory/runtime/unit-of-work/database";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import pg from "pg";
import { subgraphSources, tableOwners } from "../house/table-owners.js";
import { root, trackedFiles } from "../house/tracked-files.js";
import { mergedFiles } from "./merged-files.js";
import { readSchema } from "./read-schema.js";

const definitions: Record<SubgraphName, Omit<DatabaseDefinition, "connections">> = {
  catalog: catalogTables,
  integration: integrationTables,
  spine: spineTables,
};

/** The room whose slice declares a table. The runtime's tables have no room. */
async function roomsOfTables(schema: SubgraphName): Promise<(table: string) => string> {
  const owners = tableOwners(await subgraphSources(trackedFiles(), schema, root));
  return (table) => owners.get(table)?.split("/")[3] ?? "runtime";
}

/**
 * `npm run merge-migrations` merges each subgraph's migrations into one for new databases. It reads a database in which
 * they ran one after the other.
 */
async function main(): Promise<void> {
  const dataDir = await temporaryDataDirectory();
  const server = await startEmbeddedPostgres({ dataDir, logger: createLogger("merge-migrations", "warn") });
  const client = new pg.Client({ connectionString: server.url });
  try {
    const access = await provisionDatabase(server.url, subgraphNames, { masterKeys: someMasterKeys(1) });
    await client.connect();
    for (const schema of subgraphNames) {
      const { merged: _, ...definition } = definitions[schema];
      const connections = schemaConnections(access, schema);
      await migrate({ connections, ...definition });
      const { owner, app, worker, workerGroup } = connections.roles;
      const files = mergedFiles({
        schema,
        content: await readSchema(client, schema),
        roles: {
          [owner]: `${schema}_owner`,
          [app]: `${schema}_app`,
          [worker]: `${schema}_worker`,
          [workerGroup]: "platform_worker",
        },
        replaced: definition.migrations.map(({ name }) => name),
        ownerOf: await roomsOfTables(schema),
      });
      const folder = join(root, "subgraphs", schema, "src/migrations/merged");
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      for (const [name, text] of files) await writeFile(join(folder, name), text);
      process.stdout.write(`${folder}: ${files.size} files\n`);
    }
  } finally {
    await client.end();
    await server.stop();
    await removeData(dataDir);
  }
}

await main();
