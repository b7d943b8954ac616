import { createPostgreSqlTypeParsers } from "@mikro-orm/postgresql";
import pg from "pg";
import type { Logger } from "../telemetry/logger.js";
import { foreignJsonTypes } from "./foreign-json-types.js";
import { PipelinedClient } from "./pipelined-client.js";
import { keepStorable } from "./storable-values.js";
import { WatchedPool, type WatchedPoolConfig } from "./watched-pool.js";

const idleMs = 30_000;
const growAfterMs = 50;
/** The OID for the type `text[]`. */
const textArray = 1009;

/**
 * Opens a pool for background work. It survives lost connections: only the statement fails, not the process.
 */
export function openPool(url: string, max: number, logger: Logger, options: WatchedPoolConfig = {}): WatchedPool {
  const pool = new WatchedPool(url, logger, {
    ...{ max, idleTimeoutMillis: idleMs, growAfterMs, types: foreignJsonTypes() },
    ...options,
  });
  const logLoss = (error: Error) => logger.debug({ error: error.message }, "a database connection was lost");
  pool.on("error", logLoss);
  // The pool does not handle errors on a connection in use, and without a listener such an error ends the process.
  pool.on("connect", (client) => client.on("error", logLoss));
  pool.on("connect", keepStorable);
  return pool;
}

/** Opens a pool for the ORM, and so for requests: pipelined clients, and values parsed as its entities expect them. */
export function openOrmPool(url: string, max: number, logger: Logger): WatchedPool {
  const types = foreignJsonTypes();
  const parseTextArray = pg.types.getTypeParser(textArray as Parameters<typeof pg.types.getTypeParser>[0]);
  for (const [oid, parse] of Object.entries(createPostgreSqlTypeParsers(parseTextArray)))
    types.setTypeParser(Number(oid), parse);
  return openPool(url, max, logger, { Client: PipelinedClient, types, growAfterMs: undefined });
}
