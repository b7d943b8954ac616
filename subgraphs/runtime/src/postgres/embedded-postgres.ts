import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../telemetry/logger.js";
import {
  type ClusterRecord,
  freePort,
  openCluster,
  serverEnvironment,
  serverSettings,
  writeRecord,
} from "./cluster.js";
import { type ClusterLayout, prepareClusterLayout } from "./cluster-layout.js";
import { type DataDirectoryHolder, type DataDirectoryLock, lockDataDirectory } from "./data-directory-lock.js";
import { type ParentWatch, watchParent } from "./parent-watch.js";
import { type PostgresBinaries, preparePostgresBinaries } from "./postgres-binaries.js";
import { readPostmasterFile, removeStalePostmasterFile, stopOrphanedPostmaster } from "./postmaster-file.js";

export interface EmbeddedPostgresOptions {
  dataDir: string;
  logger: Logger;
  /** Called once when a crashed server could not be brought back. */
  onExit?(): void;
  /** A folder with `postgres` and `initdb`, instead of the packaged ones. */
  binDir?: string;
  /** How long a crashed server may refuse to start again before onExit is called. */
  restartPatienceMs?: number;
}

export interface PostgresServer {
  /** Superuser, loopback, scram. The port stays the same while this object lives. */
  readonly url: string;
  readonly pid: number;
  /** This process among those that held the data directory. */
  readonly holder: DataDirectoryHolder;
  stop(): Promise<void>;
}

const usualRestartPatienceMs = 10_000;
const recoveryPatienceMs = 120_000;

/** Starts the PostgreSQL of a data directory and keeps it running; throws DataDirectoryInUseError when it is taken. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<PostgresServer> {
  const { dataDir, logger } = options;
  const lock = lockDataDirectory(dataDir);
  const locks = [lock];
  try {
    const layout = await prepareClusterLayout(dataDir);
    // outlives a data directory that was deleted under a running platform
    if (layout.account !== undefined) locks.push(lockDataDirectory(layout.home));
    const foreignAccount = layout.account !== undefined;
    const request = { binDir: options.binDir, copyUnder: layout.home, foreignAccount };
    const binaries = await preparePostgresBinaries(request);
    await stopOrphanedPostmaster(layout.clusterDir, logger);
    // a socket lock names a pid too, and that pid may be somebody else's by now
    for (const left of await readdir(layout.socketDir)) await rm(join(layout.socketDir, left), { force: true });
    const record = await openCluster(dataDir, layout, binaries, logger);
    const server = new SupervisedPostgres(options, { layout, binaries, record, lock, locks });
    await server.start();
    return server;
  } catch (error) {
    for (const lock of locks) lock.release();
    throw error;
  }
}

interface Installation {
  layout: ClusterLayout;
  binaries: PostgresBinaries;
  record: ClusterRecord;
  lock: DataDirectoryLock;
  locks: DataDirectoryLock[];
}

class SupervisedPostgres implements PostgresServer {
  #child: ChildProcess | undefined;
  #childEnded: Promise<unknown> = Promise.resolve();
  #watch: ParentWatch | undefined;
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #supervision: Promise<void> = Promise.resolve();
  #lastWords: string[] = [];

  constructor(
    private readonly options: EmbeddedPostgresOptions,
    private readonly installation: Installation,
  ) {}

  get url(): string {
    const { user, password, host, port } = this.installation.record;
    return `postgres://${user}:${password}@${host}:${port}/postgres`;
  }

  get holder(): DataDirectoryHolder {
    return this.installation.lock;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(): Promise<void> {
    const { record } = this.installation;
    await this.#launchUntilReady(async () => {
      record.port = await freePort();
    });
    this.#supervision = this.#supervise();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    await this.#endChild();
    await this.#supervision;
    await this.#recordPid(null);
    for (const lock of this.installation.locks) lock.release();
  }

  async #supervise(): Promise<void> {
    const { logger } = this.options;
    for (;;) {
      await this.#childEnded;
      this.#watch?.dismiss();
      if (this.#stopping) return;
      const { exitCode, signalCode } = this.#child ?? {};
      logger.warn({ exitCode, signalCode, lastWords: this.#lastWords }, "PostgreSQL ended unexpectedly, restarting");
      try {
        // the port stays, so that pools find their way back
        await this.#launchUntilReady(async () => undefined);
      } catch (error) {
        logger.error({ err: error }, "PostgreSQL could not be restarted");
        this.options.onExit?.();
        return;
      }
      if (!this.#stopping) logger.warn({ pid: this.pid }, "PostgreSQL is back");
    }
  }

  /** The predecessor may still be a zombie, or its backends may still hold the shared memory: such starts are repeated. */
  async #launchUntilReady(beforeRetry: () => Promise<void>): Promise<void> {
    const { layout } = this.installation;
    const giveUpAt = Date.now() + (this.options.restartPatienceMs ?? usualRestartPatienceMs);
    for (;;) {
      await removeStalePostmasterFile(layout.clusterDir);
      if (this.#stopping) return;
      const child = this.#spawn();
      if (await this.#becomesReady(child)) {
        await this.#recordPid(child.pid ?? null);
        return;
      }
      if (this.#stopping) return;
      if (Date.now() > giveUpAt) throw new Error(`PostgreSQL does not start: ${this.#lastWords.join(" | ")}`);
      await sleep(100);
      await beforeRetry();
    }
  }

  /** A full disk must not keep a server from coming back or a lock from being released. */
  async #recordPid(pid: number | null): Promise<void> {
    const { record } = this.installation;
    record.pid = pid;
    try {
      await writeRecord(this.options.dataDir, record);
    } catch (error) {
      this.options.logger.warn({ err: error }, "postgres.json could not be written");
    }
  }

  #spawn(): ChildProcess {
    const { layout, binaries, record } = this.installation;
    const child = spawn(binaries.postgres, ["-D", layout.clusterDir, ...serverSettings(layout, record.port)], {
      ...layout.account,
      cwd: layout.home,
      env: serverEnvironment,
      stdio: ["ignore", "ignore", "pipe"],
      // a Ctrl-C must reach PostgreSQL through stop(), after what is in flight
      detached: true,
    });
    this.#child = child;
    this.#childEnded = new Promise((resolve) => child.once("exit", resolve));
    this.#lastWords = [];
    child.on("error", (error) => this.#hear(error.message));
    if (child.stderr !== null) createInterface({ input: child.stderr }).on("line", (line) => this.#hear(line));
    if (child.pid !== undefined) this.#watch = watchParent(child.pid, layout);
    return child;
  }

  #hear(line: string): void {
    this.#lastWords = [...this.#lastWords.slice(-9), line];
    this.options.logger.debug({ postgres: line }, "PostgreSQL says");
  }

  /** Waits as long as the server lives: after a crash it may have much to recover. */
  async #becomesReady(child: ChildProcess): Promise<boolean> {
    const giveUpAt = Date.now() + recoveryPatienceMs;
    while (child.pid !== undefined && child.exitCode === null && child.signalCode === null && !this.#stopping) {
      const seen = await readPostmasterFile(this.installation.layout.clusterDir);
      if (seen?.ready && seen.pid === child.pid) return true;
      if (Date.now() > giveUpAt) break;
      await sleep(15);
    }
    await this.#endChild();
    return false;
  }

  async #endChild(): Promise<void> {
    const child = this.#child;
    const steps = [
      { signal: "SIGINT", patienceMs: 8_000 },
      { signal: "SIGQUIT", patienceMs: 2_000 },
      { signal: "SIGKILL", patienceMs: 2_000 },
    ] as const;
    for (const { signal, patienceMs } of steps) {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) break;
      const exit = once(child, "exit", { signal: AbortSignal.timeout(patienceMs) }).catch(() => undefined);
      child.kill(signal);
      await exit;
    }
    this.#watch?.dismiss();
  }
}
