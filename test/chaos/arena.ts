import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readJson } from "@factory/platform/client/platform-api";
import { type PlatformProcess, removeData, startPlatformProcess } from "@factory/platform/client/platform-process";
import { choosePort } from "@factory/platform/settings/free-port";
import pg from "pg";
import type { Stage } from "./stage.js";

interface PostgresRecord {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly pid: number;
}

const host = "127.0.0.1";

/** One platform over one data directory. It is started and killed again and again, and its address does not change. */
export class Arena implements Stage {
  readonly dataDir: string;
  readonly startsMs: number[] = [];
  readonly #variables: Record<string, string>;
  #platform: PlatformProcess | undefined;

  private constructor(dataDir: string, variables: Record<string, string>) {
    this.dataDir = dataDir;
    this.#variables = variables;
  }

  static async open(dataDir: string, variables: Record<string, string> = {}): Promise<Arena> {
    const port = await choosePort(0, host);
    const arena = new Arena(dataDir, { PORT: `${port}`, RATE_LIMIT_FACTOR: "1000", LOG_LEVEL: "error", ...variables });
    await arena.start();
    return arena;
  }

  get platform(): PlatformProcess {
    if (!this.#platform) throw new Error("The platform does not run");
    return this.#platform;
  }

  async start(): Promise<void> {
    const startedAt = performance.now();
    this.#platform = await startPlatformProcess(this.dataDir, this.#variables);
    this.startsMs.push(performance.now() - startedAt);
  }

  /** Sends SIGKILL to the process, and to its PostgreSQL if `withPostgres` is true. */
  async crash({ withPostgres }: { withPostgres: boolean }): Promise<void> {
    const postgres = await this.postgres();
    await this.platform.kill();
    if (!withPostgres) return;
    for (const pid of [postgres.pid, ...(await childrenOf(postgres.pid))]) signal(pid, "SIGKILL");
  }

  async postgres(): Promise<PostgresRecord> {
    return readJson<PostgresRecord>(this.dataDir, "postgres.json");
  }

  /** Sends a signal to the postmaster and to the processes that it has forked. */
  async signalPostgres(name: NodeJS.Signals): Promise<void> {
    const { pid } = await this.postgres();
    for (const target of [pid, ...(await childrenOf(pid))]) signal(target, name);
  }

  /** Runs SQL as the superuser, for rows that no caller can see. */
  async rows<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const { user, password, host: server, port } = await this.postgres();
    const client = new pg.Client({ user, password, host: server, port, database: "postgres" });
    await client.connect();
    try {
      return (await client.query<R>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async residentMiB(): Promise<number> {
    const status = await readFile(`/proc/${this.platform.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    await this.#platform?.stop();
  }

  async remove(): Promise<void> {
    await removeData(this.dataDir);
  }
}

/** Sends a signal. A process that has ended in the meantime is ignored. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Reads the child processes (Linux, proc_pid_children). */
async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(join("/proc", `${pid}`, "task", `${pid}`, "children"), "utf8").catch(() => "");
  return children.split(" ").filter(Boolean).map(Number);
}
