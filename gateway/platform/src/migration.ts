import "reflect-metadata";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { writeMigration } from "@factory/runtime/unit-of-work/write-migration";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import { removeData, temporaryDataDirectory } from "./client/platform-process.js";

const tables = { catalog: catalogTables, integration: integrationTables, spine: spineTables };

/**
 * `npm run migration -- <subgraph> <name>` writes a migration with the entity changes that the committed migrations do
 * not contain.
 */
async function main(schema: string | undefined, name: string | undefined): Promise<void> {
  if (schema === undefined || !(schema in tables) || name === undefined)
    throw new Error(`Name the subgraph: npm run migration -- ${Object.keys(tables).join("|")} <name>`);
  const subgraph = schema as SubgraphName;
  const folder = fileURLToPath(new URL(`../../../subgraphs/${subgraph}/src/migrations`, import.meta.url));
  const dataDir = await temporaryDataDirectory();
  const server = await startEmbeddedPostgres({ dataDir, logger: createLogger("migration", "warn") });
  try {
    const access = await provisionDatabase(server.url, [subgraph], { masterKeys: new MasterKeys(randomBytes(32)) });
    const definition = { connections: schemaConnections(access, subgraph), ...tables[subgraph] };
    await migrate(definition);
    const migration = await writeMigration(definition, folder, name);
    process.stdout.write(
      migration ? `${migration.file}\n` : "The migrations are complete: they contain every change of the entities.\n",
    );
  } finally {
    await server.stop();
    await removeData(dataDir);
  }
}

await main(process.argv[2], process.argv[3]);
