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
