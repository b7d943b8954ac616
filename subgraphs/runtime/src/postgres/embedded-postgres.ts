import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../telemetry/logger.js";
import { waits } from "../telemetry/waits.js";
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
import { DatabaseGivenUp, isStarting } from "./database-patience.js";
import { type ParentWatch, watchParent } from "./parent-watch.js";
import { type PostgresBinaries, preparePostgresBinaries } from "./postgres-binaries.js";
import { readPostmasterFile, removeStalePostmasterFile, stopOrphanedPostmaster } from "./postmaster-file.js";

export interface EmbeddedPostgresOptions {
  dataDir: string;
  logger: Logger;
  /** Called when the server process runs. The start then only waits, so other work can use the processor. */
  onLaunch?(): void;
  /** A folder with `postgres` and `initdb` to use instead of the packaged programs. */
  binDir?: string;
  /** The time during which the first start may fail. A running recovery is always waited for. Absent: no limit. */
  giveUpAfterMs?: number | undefined;
  /** A launched server answers within this time that it is starting. Default: 2 s. */
  launchMs?: number;
}

export interface PostgresServer {
  /** The superuser's URL over loopback. The port does not change while this object exists. */
  readonly url: string;
  readonly pid: number;
  /** This process's entry among the data directory's holders. */
  readonly holder: DataDirectoryHolder;
  stop(): Promise<void>;
}

/** The pause between two attempts to start a server. It doubles with each attempt. */
const firstPauseMs = 100;
const maxPauseMs = 30_000;
const reportEveryMs = 60_000;
const usualLaunchMs = 2000;

/**
 * Starts a data directory's PostgreSQL server and restarts it whenever it ends. Throws DataDirectoryInUseError when
 * another process uses the directory.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<PostgresServer> {
  const { dataDir, logger } = options;
  const lock = lockDataDirectory(dataDir);
  const locks = [lock];
  try {
    const layout = await prepareClusterLayout(dataDir);
    // The folder also exists after the data directory was deleted while the platform ran.
    if (layout.account !== undefined) locks.push(lockDataDirectory(layout.home));
    const foreignAccount = layout.account !== undefined;
    const request = { binDir: options.binDir, copyUnder: layout.home, foreignAccount };
    const binaries = await preparePostgresBinaries(request);
    await stopOrphanedPostmaster(layout.clusterDir, logger);
    // A socket lock contains a pid too, which may belong to another process now.
    for (const staleFile of await readdir(layout.socketDir))
      await rm(join(layout.socketDir, staleFile), { force: true });
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
  readonly #options: EmbeddedPostgresOptions;
  readonly #installation: Installation;
  #child: ChildProcess | undefined;
  #childEnded: Promise<unknown> = Promise.resolve();
  #watch: ParentWatch | undefined;
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;
  #supervision: Promise<void> = Promise.resolve();
  #lastWords: string[] = [];

  constructor(options: EmbeddedPostgresOptions, installation: Installation) {
    this.#options = options;
    this.#installation = installation;
  }

  get url(): string {
    const { user, password, host, port } = this.#installation.record;
    return `postgres://${user}:${password}@${host}:${port}/postgres`;
  }

  get holder(): DataDirectoryHolder {
    return this.#installation.lock;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(): Promise<void> {
    const { record } = this.#installation;
    const { giveUpAfterMs } = this.#options;
    const giveUpAt = giveUpAfterMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + giveUpAfterMs;
    const anotherPort = async () => {
      record.port = await freePort();
    };
    await this.#launchUntilReady(anotherPort, giveUpAt);
    this.#supervision = this.#supervise();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#endChild();
    await this.#supervision;
    await this.#recordPid(null);
    for (const lock of this.#installation.locks) lock.release();
  }

  async #supervise(): Promise<void> {
    const { logger } = this.#options;
    for (;;) {
      await this.#childEnded;
      this.#watch?.dismiss();
      if (this.#stopping.signal.aborted) return;
      const { exitCode, signalCode } = this.#child ?? {};
      logger.warn({ exitCode, signalCode, lastWords: this.#lastWords }, "PostgreSQL ended unexpectedly, restarting");
      // The port stays the same, so that pools can reconnect.
      await this.#launchUntilReady(async () => undefined, Number.POSITIVE_INFINITY);
      if (!this.#stopping.signal.aborted) logger.warn({ pid: this.pid }, "PostgreSQL is back");
    }
  }

  /**
   * Repeats the start until it succeeds: the previous server may be a zombie, its backends may hold the shared memory, or
   * the disk may be full.
   */
  async #launchUntilReady(beforeRetry: () => Promise<void>, giveUpAt: number): Promise<void> {
    const { signal } = this.#stopping;
    let end: (() => void) | undefined;
    try {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
        if ((await this.#launch(giveUpAt)) || signal.aborted) return;
        if (Date.now() > giveUpAt)
          throw new DatabaseGivenUp(`PostgreSQL does not start: ${this.#lastWords.join(" | ")}`);
        const facts = { lastWords: this.#lastWords };
        end ??= waits.begin("PostgreSQL, which does not start and is tried again", facts, this.#options.logger);
        this.#options.logger.debug({ pauseMs, ...facts }, "PostgreSQL does not start, pausing");
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
        await beforeRetry();
      }
    } finally {
      end?.();
    }
  }

  async #launch(giveUpAt: number): Promise<boolean> {
    try {
      await removeStalePostmasterFile(this.#installation.layout.clusterDir);
      if (this.#stopping.signal.aborted) return false;
      const child = this.#spawn();
      if (!(await this.#becomesReady(child, giveUpAt))) return false;
      await this.#recordPid(child.pid ?? null);
      return true;
    } catch (error) {
      // No process or file could be created; the shortage may pass.
      this.#lastWords = [String(error)];
      return false;
    }
  }

  /** Writes postgres.json. A full disk must not prevent a server restart or a lock release. */
  async #recordPid(pid: number | null): Promise<void> {
    const { record } = this.#installation;
    record.pid = pid;
    try {
      await writeRecord(this.#options.dataDir, record);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "postgres.json could not be written");
    }
  }

  #spawn(): ChildProcess {
    const { layout, binaries, record } = this.#installation;
    const child = spawn(binaries.postgres, ["-D", layout.clusterDir, ...serverSettings(layout, record.port)], {
      ...layout.account,
      cwd: layout.home,
      env: serverEnvironment,
      stdio: ["ignore", "ignore", "pipe"],
      // Ctrl-C must not reach PostgreSQL directly: stop() ends it after running work.
      detached: true,
    });
    this.#child = child;
    this.#options.onLaunch?.();
    this.#childEnded = new Promise((resolve) => child.once("exit", resolve));
    this.#lastWords = [];
    child.on("error", (error) => this.#hear(error.message));
    if (child.stderr !== null) createInterface({ input: child.stderr }).on("line", (line) => this.#hear(line));
    if (child.pid !== undefined) this.#watch = watchParent(child.pid, layout);
    return child;
  }

  #hear(line: string): void {
    this.#lastWords = [...this.#lastWords.slice(-9), line];
    this.#options.logger.debug({ postgres: line }, "output of PostgreSQL");
  }

  /**
   * Waits as long as the server process lives. A recovery after a crash may take long, and would begin again after a
   * restart.
   */
  async #becomesReady(child: ChildProcess, giveUpAt: number): Promise<boolean> {
    let askedAt = Date.now();
    let reportAt = Date.now() + reportEveryMs;
    const { signal } = this.#stopping;
    while (child.pid !== undefined && child.exitCode === null && child.signalCode === null && !signal.aborted) {
      const postmasterFile = await readPostmasterFile(this.#installation.layout.clusterDir);
      if (postmasterFile?.ready && postmasterFile.pid === child.pid) return true;
      const { launchMs = usualLaunchMs } = this.#options;
      if (Date.now() > Math.max(giveUpAt, askedAt + launchMs)) {
        if (!(await isStarting(this.url))) break;
        askedAt = Date.now();
      }
      if (Date.now() > reportAt) {
        reportAt += reportEveryMs;
        this.#options.logger.warn({ pid: child.pid, lastWords: this.#lastWords }, "PostgreSQL is still starting");
      }
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
