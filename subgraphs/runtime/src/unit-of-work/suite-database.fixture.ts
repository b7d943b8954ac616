import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { DatabaseAccess } from "../connections/schema-connections.js";
import type { PostgresServer } from "../postgres/embedded-postgres.js";
import { startReadyPostgres } from "../postgres/ready-postgres.fixture.js";
import { removeDataDirectory } from "../postgres/remove-cluster.js";
import { closeWithWorker } from "../postgres/worker-lifetime.fixture.js";
import { openDatabaseAccess } from "../provisioning/provision-database.js";
import { createLogger } from "../telemetry/logger.js";
import { suiteRoles } from "./suite-roles.fixture.js";
import { type TemplateDatabase, templateDatabases } from "./template-databases.fixture.js";

const quiet = createLogger("test", "silent");

/** A database of one suite. */
export interface SuiteDatabase {
  /** The URL of the superuser. */
  readonly url: string;
  readonly access: DatabaseAccess;
  /** The pid of the postmaster. */
  readonly pid: number;
  close(): Promise<void>;
}

let serverOfWorker: Promise<PostgresServer> | undefined;
let made = 0;

/**
 * A copy of a template on the PostgreSQL server of this worker. Roles are those of the whole server: policies and grants
 * name them, so all copies use the same.
 */
export async function aSuiteDatabase(template: TemplateDatabase): Promise<SuiteDatabase> {
  serverOfWorker ??= startServerOfWorker().catch((error: unknown) => {
    serverOfWorker = undefined;
    throw error;
  });
  const server = await serverOfWorker;
  made += 1;
  const name = `suite_${made}`;
  // Copying the files makes a checkpoint, which in memory takes less time than writing each page to the log.
  await onServer(server, `create database ${name} template ${template} strategy file_copy`);
  const url = databaseUrl(server, name);
  return {
    url,
    access: await openDatabaseAccess(url, suiteRoles),
    pid: server.pid,
    close: () => onServer(server, `drop database ${name} with (force)`),
  };
}

/**
 * The template itself on a server of its own, for a suite that freezes or kills the server, changes its roles or
 * counts what is in all of its databases.
 */
export async function aSuiteServer(template: TemplateDatabase): Promise<SuiteDatabase> {
  const { server, stop } = await startServer();
  const url = databaseUrl(server, template);
  return { url, access: await openDatabaseAccess(url, suiteRoles), pid: server.pid, close: stop };
}

const databaseUrl = (server: PostgresServer, name: string): string =>
  Object.assign(new URL(server.url), { pathname: name }).href;

async function startServerOfWorker(): Promise<PostgresServer> {
  const { server, stop } = await startServer();
  closeWithWorker(async () => {
    serverOfWorker = undefined;
    await stop();
  });
  return server;
}

async function startServer() {
  const dataDir = await mkdtemp(join(tmpdir(), "suites-"));
  const server = await startReadyPostgres({ dataDir, logger: quiet, content: templateDatabases() });
  const stop = async () => {
    await server.stop();
    await removeDataDirectory(dataDir, quiet);
  };
  return { server, stop };
}

async function onServer(server: PostgresServer, statement: string): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
