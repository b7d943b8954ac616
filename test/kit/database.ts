import { readJson } from "@factory/gateway/standalone/client/platform-api";
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
  const { dataDir, databaseUrl: given } = platform();
  if (given !== undefined) return given;
  const { host, port, user, password } = await readJson<Cluster>(dataDir, "postgres.json");
  return `postgres://${user}:${password}@${host}:${port}/postgres`;
}

export async function rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  return rowsIn<Row>(await databaseUrl(), text, values);
}

/** The same in another database than that of the platform in use. */
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
