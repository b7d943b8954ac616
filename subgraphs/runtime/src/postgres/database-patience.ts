import { setTimeout as pause } from "node:timers/promises";
import { BoundedClient } from "../clients/bounded-client.js";
import { afterLoopTime } from "../clients/loop-time.js";
import { DatabaseUnavailable, isDatabaseOutage, isLoginRefused } from "../errors/database-failure.js";
import { systemErrorCode } from "../errors/system-error.js";
import type { Logger } from "../telemetry/logger.js";
import { waits } from "../telemetry/waits.js";

/** Thrown when the database has not answered within the time that the operator allows. */
export class DatabaseGivenUp extends Error {
  override readonly name = "DatabaseGivenUp";
}

const answerMs = 2000;
const firstPauseMs = 100;
const maxPauseMs = 5000;

/** SQLSTATE `cannot_connect_now`: the server is starting, recovering or stopping. */
const cannotConnectNow = "57P03";

/** Waits until a server answers and accepts writes. Throws errors that waiting cannot change, such as a wrong password, at once. */
export async function awaitServer(
  url: string,
  { logger, giveUpAfterMs = Number.POSITIVE_INFINITY }: { logger: Logger; giveUpAfterMs?: number | undefined },
): Promise<void> {
  const giveUpAt = Date.now() + giveUpAfterMs;
  let end: (() => void) | undefined;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const failure = await failureToServe(url);
      if (failure === undefined) return;
      if (!isDatabaseOutage(failure) || isLoginRefused(failure)) throw failure;
      const recovering = systemErrorCode(failure) === cannotConnectNow;
      if (Date.now() > giveUpAt && !recovering) throw givenUp(url, failure);
      end ??= waits.begin(`the database at ${new URL(url).host}`, { cause: failure }, logger);
      await pause(Math.min(pauseMs, Math.max(giveUpAt - Date.now(), firstPauseMs)));
    }
  } finally {
    end?.();
  }
}

const givenUp = (url: string, cause: Error) =>
  new DatabaseGivenUp(
    `The database at ${new URL(url).host} was away for longer than DATABASE_GIVE_UP_SECONDS: ${reasonOf(cause)}. Start the database, or correct DATABASE_URL.`,
    { cause },
  );

/** A host name with several addresses fails with one error for each. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map(({ message }: Error) => message).join(", ");
}

/** Whether the server reports that it is starting or recovering. */
export async function isStarting(url: string): Promise<boolean> {
  return systemErrorCode(await failureToServe(url)) === cannotConnectNow;
}

async function failureToServe(url: string): Promise<Error | undefined> {
  const client = new BoundedClient({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const late = afterLoopTime(answerMs, () => client.connection.stream.destroy());
    const { rows } = await client.query<{ transaction_read_only: string }>("show transaction_read_only").finally(late);
    await client.end();
    if (rows[0]?.transaction_read_only !== "on") return undefined;
    return new DatabaseUnavailable("ReadOnly", "the server is read-only");
  } catch (error) {
    return error as Error;
  }
}
