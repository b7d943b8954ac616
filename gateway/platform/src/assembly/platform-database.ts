import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { EnvironmentError } from "@factory/runtime/environment/read-environment";
import { isLoginRefused } from "@factory/runtime/errors/database-failure";
import { type DataDirectoryHolder, lockDataDirectory } from "@factory/runtime/postgres/data-directory-lock";
import { awaitServer } from "@factory/runtime/postgres/database-patience";
import { startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { PlatformEnvironment } from "../settings/environment.js";
import { checkDatabase } from "../start-checks/check-start.js";

export interface PlatformDatabase {
  readonly url: string;
  readonly holder: DataDirectoryHolder;
  readonly close: () => Promise<void>;
}

/**
 * Connects to the operator's database, or starts the embedded PostgreSQL. In both cases this process then holds the
 * DATA_DIR lock. Throws EnvironmentError when this release cannot run on the database.
 */
export async function openPlatformDatabase(
  environment: PlatformEnvironment,
  logger: Logger,
  onLaunch: () => void,
): Promise<PlatformDatabase> {
  const { dataDir, databaseUrl, postgresBinDir, databaseGiveUpMs: giveUpAfterMs } = environment;
  const folder = resolve(dataDir);
  if (databaseUrl !== undefined) {
    await awaitServer(databaseUrl, { logger, giveUpAfterMs }).catch((error: Error) => {
      throw isLoginRefused(error) ? refusedLogin(databaseUrl, error) : error;
    });
    await checkDatabase(databaseUrl, environment, logger);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = lockDataDirectory(folder);
    return { url: databaseUrl, holder: lock, close: async () => lock.release() };
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    logger,
    giveUpAfterMs,
    onLaunch,
    ...(postgresBinDir === undefined ? {} : { binDir: postgresBinDir }),
  });
  try {
    await checkDatabase(server.url, environment, logger);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: server.url, holder: server.holder, close: () => server.stop() };
}

/** A refusal without a known SQLSTATE is wrapped. */
const reasonOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message);

function refusedLogin(url: string, error: Error): EnvironmentError {
  const { host, username } = new URL(url);
  return new EnvironmentError(
    `The database at ${host} refuses the login of "${username}": ${reasonOf(error)}. Correct user, password and database in DATABASE_URL, or let the server accept them.`,
  );
}
