import pg from "pg";
import { InstallationProblem } from "./installation-problem.js";

const connectMs = 10_000;

/** Settings for a session that reads or writes whole tables. With row_security off, hidden rows are an error. */
const settings = [
  "set row_security = off",
  "set statement_timeout = 0",
  "set idle_in_transaction_session_timeout = 0",
  "set lock_timeout = '30s'",
  "set search_path = ''",
  "set client_encoding = 'UTF8'",
  "set datestyle = 'ISO'",
  "set intervalstyle = 'postgres'",
  "set timezone = 'UTC'",
];

/** Connects as the role that owns the installation. It must see all rows, since policies would hide them silently. */
export async function administrator(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, keepAlive: true });
  // A lost connection also fails the statement that runs.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ all_rows: boolean }>(
      "select rolsuper or rolbypassrls as all_rows from pg_roles where rolname = current_user",
    );
    if (rows[0]?.all_rows !== true)
      throw new InstallationProblem("The role of DATABASE_URL must be a superuser or have BYPASSRLS, to see all rows.");
    await client.query(settings.join(";"));
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}
