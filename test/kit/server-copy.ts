import { appendFile, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterRecord } from "@factory/runtime/postgres/cluster";
import { type PostgresServer, startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import { copyCluster } from "@factory/runtime/postgres/ready-postgres.fixture";
import { removeDataDirectory } from "@factory/runtime/postgres/remove-cluster";
import { createLogger } from "@factory/runtime/telemetry/logger";

const quiet = createLogger("test", "silent");

/** A PostgreSQL server in a separate folder. */
export interface OwnServer {
  readonly server: PostgresServer;
  readonly folder: string;
  close(): Promise<void>;
}

/** Starts a second server with the data from a stopped one. It takes writes again. */
export async function aPromotedCopy(folder: string): Promise<OwnServer> {
  const record = JSON.parse(await readFile(join(folder, "postgres.json"), "utf8")) as ClusterRecord;
  const copy = await mkdtemp(join(tmpdir(), "promoted-"));
  await copyCluster(record.clusterDir, copy, record);
  await appendFile(join(await clusterOf(copy), "postgresql.auto.conf"), "default_transaction_read_only = off\n");
  return openedServer(copy);
}

/** Starts a stopped server again. */
export async function openedServer(folder: string): Promise<OwnServer> {
  const server = await startEmbeddedPostgres({ dataDir: folder, logger: quiet });
  return {
    server,
    folder,
    async close() {
      await server.stop();
      await removeDataDirectory(folder, quiet);
    },
  };
}

const clusterOf = async (folder: string): Promise<string> =>
  (JSON.parse(await readFile(join(folder, "postgres.json"), "utf8")) as ClusterRecord).clusterDir;
