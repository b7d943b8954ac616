import { lockDataDirectory } from "@factory/runtime/postgres/data-directory-lock";
import { type PostgresServer, startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import { createLogger } from "@factory/runtime/telemetry/logger";
import pg from "pg";
import { readJson } from "../client/platform-api.js";
import type { InstallationEnvironment } from "./installation-environment.js";
import { InstallationProblem } from "./installation-problem.js";

/** An installation's database. `close` stops a server that was started for this work. */
interface OpenedDatabase {
  readonly url: string;
  close(): Promise<void>;
}

interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

const connectMs = 5000;
const logger = createLogger("installation", "warn");

/**
 * Opens the installation's database: the server at DATABASE_URL, or the embedded server. An embedded server that is
 * stopped is started for this work.
 */
export async function databaseOf(environment: InstallationEnvironment): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir } = environment;
  if (databaseUrl !== undefined) return { url: databaseUrl, close: async () => undefined };
  const record = await readJson<RunningServer>(dataDir, "postgres.json").catch(() => undefined);
  if (record === undefined) throw new InstallationProblem(`${dataDir} has no database: set DATA_DIR or DATABASE_URL.`);
  const { user, password, host, port } = record;
  const url = `postgres://${user}:${password}@${host}:${port}/postgres`;
  if (await answers(url)) return { url, close: async () => undefined };
  return openedServer(await startEmbeddedPostgres(embeddedOptions(environment)));
}

/** The database to fill. DATA_DIR is locked until it is closed, so that no platform starts on it meanwhile. */
export async function databaseToFill(environment: InstallationEnvironment): Promise<OpenedDatabase> {
  const { databaseUrl, dataDir } = environment;
  if (databaseUrl === undefined) return openedServer(await startEmbeddedPostgres(embeddedOptions(environment)));
  const lock = lockDataDirectory(dataDir);
  return { url: databaseUrl, close: async () => lock.release() };
}

const embeddedOptions = ({ dataDir, postgresBinDir: binDir }: InstallationEnvironment) => ({
  ...{ dataDir, logger },
  ...(binDir === undefined ? {} : { binDir }),
});

const openedServer = (server: PostgresServer): OpenedDatabase => ({ url: server.url, close: () => server.stop() });

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
