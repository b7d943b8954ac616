import pg from "pg";
import type { Logger } from "../telemetry/logger.js";

const idleMs = 30_000;

/** A pool whose connections may be ended by the server at any moment, taken or idle: the statement fails, not the process. */
export function openPool(url: string, max: number, logger: Logger): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, idleTimeoutMillis: idleMs });
  const lost = (error: Error) => logger.debug({ error: error.message }, "database connection lost");
  pool.on("error", lost);
  // the pool leaves errors of a taken connection to its taker, and without a listener they end the process
  pool.on("connect", (client) => client.on("error", lost));
  return pool;
}

/** Long enough for whoever holds the connection to notice that it is gone. */
const graceMs = 1000;

/**
 * Kysely 0.29 never gives back a connection whose BEGIN or ROLLBACK failed, so every restart of the server would cost
 * the pool a place and a stop would wait for ever. Goes when its transactions release in a `finally`.
 */
export function reclaimLostConnections(pool: pg.Pool): void {
  const taken = new Set<pg.PoolClient>();
  pool.on("acquire", (client) => taken.add(client));
  pool.on("release", (_error, client) => taken.delete(client));
  pool.on("connect", (client) => {
    client.once("end", () => {
      setTimeout(() => {
        if (taken.has(client)) client.release(true);
      }, graceMs).unref();
    });
  });
}
