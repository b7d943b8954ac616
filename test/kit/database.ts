import { readJson } from "@factory/platform/client/platform-api";
import { readMasterKeys } from "@factory/platform/settings/secrets-key";
import type { DatabaseAccess } from "@factory/runtime/connections/schema-connections";
import { openDatabaseAccess } from "@factory/runtime/provisioning/provision-database";
import { suiteRoles } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import pg from "pg";
import { platform } from "./platform.js";

interface Cluster {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** The connection URL of the platform's database for its superuser, for rows that no caller can see. */
export async function databaseUrl(): Promise<string> {
  const { dataDir, databaseUrl: configuredUrl } = platform();
  if (configuredUrl !== undefined) return configuredUrl;
  const { host, port, user, password } = await readJson<Cluster>(dataDir, "postgres.json");
  return `postgres://${user}:${password}@${host}:${port}/postgres`;
}

/** The same database with its roles. */
export async function databaseAccess(): Promise<DatabaseAccess> {
  const { dataDir, databaseUrl: configuredUrl } = platform();
  return configuredUrl === undefined
    ? embeddedAccess(dataDir, await databaseUrl())
    : openDatabaseAccess(configuredUrl, suiteRoles);
}

/** The roles in an embedded database, whose platform keeps its keys in DATA_DIR. */
export async function embeddedAccess(dataDir: string, url: string): Promise<DatabaseAccess> {
  const masterKeys = await readMasterKeys({ secretsKey: undefined, previousSecretsKeys: [] }, dataDir);
  return openDatabaseAccess(url, { masterKeys });
}

export async function rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  return rowsIn<Row>(await databaseUrl(), text, values);
}

/** The same in any database, by its connection URL. */
export async function rowsIn<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
