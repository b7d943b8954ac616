import type { ClientBase } from "pg";
import { waits } from "../telemetry/waits.js";

/** An advisory lock's numbers. A text stands for its hash. */
type LockKey = readonly [number] | readonly [number, string];

/**
 * Takes an advisory lock for the session. While another session holds it, the wait says what that session does, for
 * example "a migration of the schema spine by another process".
 */
export async function takeTurn(client: ClientBase, key: LockKey, work: string): Promise<void> {
  const place = key.length === 1 ? "$1" : "$1, hashtext($2)";
  const { rows } = await client.query<{ free: boolean }>(`select pg_try_advisory_lock(${place}) as free`, [...key]);
  if (rows[0]?.free) return;
  const end = waits.begin(work);
  await client.query(`select pg_advisory_lock(${place})`, [...key]).finally(end);
}
