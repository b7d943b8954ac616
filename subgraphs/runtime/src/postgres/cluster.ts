import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, chown, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { EnvironmentError } from "../environment/read-environment.js";
import { systemErrorCode } from "../errors/system-error.js";
import type { Logger } from "../telemetry/logger.js";
import { type ClusterLayout, ownDirectory } from "./cluster-layout.js";
import type { PostgresBinaries } from "./postgres-binaries.js";

/** The file `DATA_DIR/postgres.json`. */
export interface ClusterRecord {
  binariesDir: string;
  clusterDir: string;
  socketDir: string;
  host: string;
  port: number;
  user: string;
  password: string;
  pid: number | null;
}

const superuser = "postgres";

/** The server gets a minimal environment, so that the account's variables (PGDATA, PGPORT) have no effect. */
export const serverEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** Settings on the command line, which override an edited postgresql.conf. */
export function serverSettings(layout: ClusterLayout, port: number): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: layout.socketDir,
    unix_socket_permissions: "0700",
    // Two processes under load need more than 100, while one replaces the other.
    max_connections: 200,
    shared_buffers: "64MB",
    // By default PostgreSQL 18 runs three more I/O processes, which small databases do not need.
    io_method: "sync",
    max_parallel_workers_per_gather: 0,
    jit: "off",
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    min_wal_size: "32MB",
    max_wal_size: "512MB",
    timezone: "UTC",
    log_timezone: "UTC",
    // Clients receive errors. In the log they could expose row values.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    log_line_prefix: "",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Makes the cluster at the first start. Later starts read the first one's settings. */
export async function openCluster(
  dataDir: string,
  layout: ClusterLayout,
  binaries: PostgresBinaries,
  logger: Logger,
): Promise<ClusterRecord> {
  const recordedCluster = await readRecord(dataDir);
  const present = await access(layout.clusterDir).then(
    () => true,
    () => false,
  );
  if (recordedCluster !== undefined && !present)
    throw new EnvironmentError(lostCluster(dataDir, recordedCluster, layout));
  const usual = {
    binariesDir: binaries.directory,
    clusterDir: layout.clusterDir,
    socketDir: layout.socketDir,
    pid: null,
  };
  if (recordedCluster !== undefined)
    return { ...recordedCluster, ...usual, port: await freePort(recordedCluster.port) };

  // A cluster without its password cannot be used. Its data directory was deleted.
  if (present) {
    const aside = `${layout.clusterDir}.previous`;
    await rm(aside, { recursive: true, force: true });
    await rename(layout.clusterDir, aside);
    logger.warn({ aside }, "a cluster without postgres.json was set aside");
  }
  const password = randomBytes(24).toString("base64url");
  await initialize(layout, binaries, password);
  const record = { ...usual, host: "127.0.0.1", port: await freePort(), user: superuser, password };
  await writeRecord(dataDir, record);
  return record;
}

export async function writeRecord(dataDir: string, record: ClusterRecord): Promise<void> {
  const file = join(dataDir, "postgres.json");
  await writeFile(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

async function readRecord(dataDir: string): Promise<ClusterRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8")) as ClusterRecord;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function lostCluster(dataDir: string, recordedCluster: ClusterRecord, layout: ClusterLayout): string {
  const hint =
    recordedCluster.clusterDir === layout.clusterDir
      ? "restore it"
      : `the data directory has moved or was made by another account; its cluster is expected at ${layout.clusterDir} now: put it there`;
  return `the database cluster ${recordedCluster.clusterDir} is gone: ${hint}, or delete ${join(dataDir, "postgres.json")} to begin with an empty one`;
}

/**
 * Makes a cluster in a temporary folder and renames it when it is complete, so that a kill in between leaves nothing to
 * repair.
 */
async function initialize(layout: ClusterLayout, binaries: PostgresBinaries, password: string): Promise<void> {
  const { account, clusterDir, home, socketDir } = layout;
  const temporaryDir = `${clusterDir}.unfinished`;
  await rm(temporaryDir, { recursive: true, force: true });
  await ownDirectory(temporaryDir, 0o700, account);
  const passwordFile = join(socketDir, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) await chown(passwordFile, account.uid, account.gid);
  try {
    const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
    const access = ["--auth=scram-sha-256", `--username=${superuser}`, `--pwfile=${passwordFile}`];
    const options = { ...account, cwd: home, env: serverEnvironment };
    await promisify(execFile)(binaries.initdb, ["-D", temporaryDir, ...locale, ...access], options);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(temporaryDir, clusterDir);
}

/** The preferred port when it is free, otherwise any free port. */
export async function freePort(preferredPort = 0): Promise<number> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(preferredPort, "127.0.0.1", () => resolve(true));
  });
  if (!listening) return freePort();
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a TCP server has no port");
  return address.port;
}
