import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemErrorCode } from "../errors/system-error.js";
import type { Logger } from "../telemetry/logger.js";
import { type ClusterRecord, writeRecord } from "./cluster.js";
import { prepareClusterLayout } from "./cluster-layout.js";
import { type PostgresServer, startEmbeddedPostgres } from "./embedded-postgres.js";
import { removeDataDirectory } from "./remove-cluster.js";

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
const caches = join(root, "node_modules/.cache/factory-postgres");

/** The tables that a suite would create itself if its copied cluster were empty. */
export interface ClusterContent {
  /** A digest over everything that decides about the tables. */
  readonly key: string;
  /** Fills the new cluster that all copies are made from. */
  fill(url: string): Promise<void>;
}

interface ReadyPostgresOptions {
  readonly dataDir: string;
  readonly logger: Logger;
  /** If absent, the cluster is empty. */
  readonly content?: ClusterContent;
}

/**
 * As `startEmbeddedPostgres` in an empty data directory, with a copied cluster that is made once for all test suites.
 * initdb takes a second of processor time, and tests start some hundred servers.
 */
export async function startReadyPostgres(options: ReadyPostgresOptions): Promise<PostgresServer> {
  const template = await clusterTemplate(options).catch(unlessClosed);
  if (template === undefined) return startEmbeddedPostgres(options);
  await copyCluster(join(template, "cluster"), options.dataDir, await recordIn(template));
  return startEmbeddedPostgres(options);
}

/**
 * Copies a stopped server's cluster into a new data directory. The copy is always inside this folder, which may be in
 * memory. As root, the place where PostgreSQL looks for it is a link to the copy.
 */
export async function copyCluster(cluster: string, dataDir: string, record: ClusterRecord): Promise<void> {
  const { clusterDir, account } = await prepareClusterLayout(dataDir);
  const copy = account === undefined ? clusterDir : join(dataDir, "cluster");
  // As root, `cp -a` keeps the owner, which is PostgreSQL's account.
  await run("cp", ["-aH", cluster, copy]);
  if (account !== undefined) {
    await chmod(dataDir, 0o711);
    await symlink(copy, clusterDir);
  }
  await writeRecord(dataDir, { ...record, clusterDir, port: 0, pid: null });
}

/** Without write access to node_modules, each start waits for initdb. */
function unlessClosed(error: unknown): undefined {
  if (!["EACCES", "EPERM", "EROFS"].includes(systemErrorCode(error) ?? "")) throw error;
}

/** The cluster to copy. It is made again when the code that makes clusters has changed. */
async function clusterTemplate({ logger, content }: ReadyPostgresOptions): Promise<string> {
  const makers = ["subgraphs/runtime/src/postgres/cluster.ts", "subgraphs/runtime/package.json"];
  const key = createHash("sha256").update(`${process.platform} ${process.arch} ${process.getuid?.()}`);
  for (const file of makers) key.update(await readFile(join(root, file)));
  if (content) key.update(content.key);
  const template = join(caches, key.digest("hex").slice(0, 16));
  const present = await access(template).then(
    () => true,
    () => false,
  );
  if (!present) await makeTemplate(template, logger, content);
  return template;
}

/** Makes the cluster and renames it when it is complete. */
async function makeTemplate(template: string, logger: Logger, content?: ClusterContent): Promise<void> {
  const temporaryTemplate = `${template}.${process.pid}`;
  await mkdir(temporaryTemplate, { recursive: true });
  const dataDir = await mkdtemp(join(tmpdir(), "factory-template-"));
  try {
    const start = content ? startReadyPostgres : startEmbeddedPostgres;
    const server = await start({ dataDir, logger });
    try {
      await content?.fill(server.url);
    } finally {
      await server.stop();
    }
    const record = await recordIn(dataDir);
    await run("cp", ["-aH", record.clusterDir, join(temporaryTemplate, "cluster")]);
    await writeRecord(temporaryTemplate, record);
    // Another process may have been faster.
    await rename(temporaryTemplate, template).catch(() =>
      rm(temporaryTemplate, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
    );
  } finally {
    await removeDataDirectory(dataDir, logger);
  }
}

async function recordIn(folder: string): Promise<ClusterRecord> {
  return JSON.parse(await readFile(join(folder, "postgres.json"), "utf8")) as ClusterRecord;
}
