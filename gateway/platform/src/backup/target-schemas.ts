import { catalogTables } from "@factory/catalog/tables";
import { integrationTables } from "@factory/integration/tables";
import { type DatabaseAccess, schemaConnections } from "@factory/runtime/connections/schema-connections";
import { makeEmptyJobTables } from "@factory/runtime/jobs/queue/empty-job-tables";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { thisRelease } from "@factory/runtime/provisioning/schema-level";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import { spineTables } from "@factory/spine/tables";
import type { Client } from "pg";
import { readMasterKeys } from "../settings/secrets-key.js";
import type { BackupEnvironment } from "./environment.js";
import { jobTablesVersion } from "./installed-schemas-statement.js";
import { BackupProblem } from "./sealed-folder/backup-problem.js";
import type { Manifest } from "./sealed-folder/manifest.js";

const tables = { catalog: catalogTables, integration: integrationTables, spine: spineTables };
const logger = createLogger("restore", "warn");

/** Refuses a backup with migrations that this release does not have. */
export function checkMigrations({ schemas, level, release }: Manifest): void {
  if (level > thisRelease.level)
    throw new BackupProblem(
      `The backup is of a newer release (${release}): its data have level ${level}, and this release has ${thisRelease.level}.`,
    );
  for (const { name, migrations } of schemas) {
    const present = new Set(tables[name as SubgraphName].migrations.map((migration) => migration.name));
    const unknown = migrations.find((migration) => !present.has(migration));
    if (unknown !== undefined)
      throw new BackupProblem(
        `This release does not have the migration ${unknown} of the backup: restore it by its own release (${release}).`,
      );
  }
}

/** Makes the roles, schemas and tables as the backup's release had them. */
export async function makeSchemas(
  url: string,
  client: Client,
  environment: BackupEnvironment,
  { schemas }: Manifest,
): Promise<DatabaseAccess> {
  const { databaseRolePrefix: rolePrefix, dataDir } = environment;
  const masterKeys = await readMasterKeys(environment, dataDir);
  const access = await provisionDatabase(url, subgraphNames, { masterKeys, rolePrefix });
  for (const { name, migrations, jobTables } of schemas) {
    const subgraph = name as SubgraphName;
    const former = new Set(migrations);
    await migrateTo(access, subgraph, ({ name: migration }) => former.has(migration));
    await makeEmptyJobTables(schemaConnections(access, subgraph), logger);
    if ((await jobTablesVersion(client, subgraph)) !== jobTables)
      throw new BackupProblem(`The jobs of the backup have tables of another version (${jobTables}): use its release.`);
  }
  return access;
}

/** Runs the migrations that came after the backup. */
export async function migrateToPresent(access: DatabaseAccess): Promise<void> {
  for (const subgraph of subgraphNames) await migrateTo(access, subgraph, () => true);
}

async function migrateTo(
  access: DatabaseAccess,
  subgraph: SubgraphName,
  isWanted: (migration: { name: string }) => boolean,
) {
  const { migrations, ...rest } = tables[subgraph];
  const definition = { connections: schemaConnections(access, subgraph), ...rest };
  await migrate({ ...definition, migrations: migrations.filter(isWanted) });
}
