import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Logger } from "../telemetry/logger.js";
import { type ClusterRecord, writeRecord } from "./cluster.js";
import { prepareClusterLayout } from "./cluster-layout.js";
import { type PostgresServer, startEmbeddedPostgres } from "./embedded-postgres.js";
import { removeDataDirectory } from "./remove-cluster.js";
import { systemErrorCode } from "./system-error.js";

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
const caches = join(root, "node_modules/.cache/factory-postgres");

/**
 * As `startEmbeddedPostgres` in an empty data directory, with a copy of a cluster that is made once for all test suites.
 * initdb takes a second of processor time, and tests start some hundred servers.
 */
export async function startReadyPostgres(options: { dataDir: string; logger: Logger }): Promise<PostgresServer> {
  const template = await clusterTemplate(options.logger).catch(unlessClosed);
  if (template === undefined) return startEmbeddedPostgres(options);
  const { clusterDir } = await prepareClusterLayout(options.dataDir);
  // As root, `cp -a` keeps the owner, which is the account of PostgreSQL.
  await run("cp", ["-a", join(template, "cluster"), clusterDir]);
  await writeRecord(options.dataDir, { ...(await recordIn(template)), port: 0 });
  return startEmbeddedPostgres(options);
}

/** Without write access to node_modules, each start waits for initdb. */
function unlessClosed(error: unknown): undefined {
  if (!["EACCES", "EPERM", "EROFS"].includes(systemErrorCode(error) ?? "")) throw error;
}

/** The cluster to copy. It is made again when the code that makes clusters has changed. */
async function clusterTemplate(logger: Logger): Promise<string> {
  const makers = ["subgraphs/runtime/src/postgres/cluster.ts", "subgraphs/runtime/package.json"];
  const key = createHash("sha256").update(`${process.platform} ${process.arch} ${process.getuid?.()}`);
  for (const file of makers) key.update(await readFile(join(root, file)));
  const template = join(caches, key.digest("hex").slice(0, 16));
  const present = await access(template).then(
    () => true,
    () => false,
  );
  if (!present) await makeTemplate(template, logger);
  return template;
}

/** Makes the cluster and renames it when it is complete. */
async function makeTemplate(template: string, logger: Logger): Promise<void> {
  const unfinished = `${template}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const dataDir = await mkdtemp(join(tmpdir(), "factory-template-"));
  try {
    const server = await startEmbeddedPostgres({ dataDir, logger });
    await server.stop();
    const record = await recordIn(dataDir);
    await run("cp", ["-a", record.clusterDir, join(unfinished, "cluster")]);
    await writeRecord(unfinished, record);
    // Another process may have been faster.
    await rename(unfinished, template).catch(() => rm(unfinished, { recursive: true, force: true }));
  } finally {
    await removeDataDirectory(dataDir, logger);
  }
}

async function recordIn(folder: string): Promise<ClusterRecord> {
  return JSON.parse(await readFile(join(folder, "postgres.json"), "utf8")) as ClusterRecord;
}
