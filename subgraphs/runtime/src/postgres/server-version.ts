import type { ClientBase } from "pg";
import { EnvironmentError } from "../environment/read-environment.js";

/** The oldest major PostgreSQL version that has everything that the platform's statements use. */
export const lowestServerVersion = 15;

/** Throws EnvironmentError when the server is too old. Writes nothing. */
export async function refuseOldServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>("show server_version_num");
  const version = Number(rows[0]?.server_version_num);
  if (version >= lowestServerVersion * 10_000) return;
  const name = `PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`;
  throw new EnvironmentError(
    `The database server is ${name}, and this release needs PostgreSQL ${lowestServerVersion} or newer.`,
  );
}
