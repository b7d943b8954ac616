import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { isDatabaseOutage } from "../errors/database-failure.js";
import type { Logger } from "../telemetry/logger.js";

/** Thrown when the database has not answered within the time that the operator allows. */
export class DatabaseGivenUp extends Error {
  override readonly name = "DatabaseGivenUp";
}

const connectMs = 2000;
const firstPauseMs = 100;
const maxPauseMs = 30_000;

/** SQLSTATE `cannot_connect_now`: the server is starting, recovering or stopping. */
const cannotConnectNow = "57P03";

/** Waits until a server answers. Throws errors that waiting cannot change, such as a wrong password, at once. */
export async function awaitServer(
  url: string,
  { logger, giveUpAfterMs = Number.POSITIVE_INFINITY }: { logger: Logger; giveUpAfterMs?: number | undefined },
): Promise<void> {
  const giveUpAt = Date.now() + giveUpAfterMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const failure = await failureToConnect(url);
    if (failure === undefined) return;
    if (!isDatabaseOutage(failure)) throw failure;
    const recovering = (failure as { code?: unknown }).code === cannotConnectNow;
    if (Date.now() > giveUpAt && !recovering)
      throw new DatabaseGivenUp("The database does not answer. Try again later.", { cause: failure });
    logger.warn({ error: failure.message, pauseMs }, "the database does not answer and is tried again");
    await pause(Math.min(pauseMs, Math.max(giveUpAt - Date.now(), firstPauseMs)));
  }
}

/** Whether the server reports that it is starting or recovering. */
export async function isStarting(url: string): Promise<boolean> {
  const failure = (await failureToConnect(url)) as { code?: unknown } | undefined;
  return failure?.code === cannotConnectNow;
}

async function failureToConnect(url: string): Promise<Error | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
