import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import pg from "pg";
import { receivedError } from "../jobs/child-processes/child-messages.js";
import { childEnvironment } from "../jobs/child-processes/environment.js";
import { aSuiteDatabase, type SuiteDatabase } from "../unit-of-work/suite-database.fixture.js";
import { bundled } from "./program-bundle.fixture.js";
import type { ChildCall, ChildStart, FromSubgraph, Operations } from "./subgraph-child.fixture.js";

/** A long time, since the machine may be busy. */
const startTimeoutMs = 120_000;
const compileCache = join(
  dirname(fileURLToPath(import.meta.url)),
  "../../../../node_modules/.cache/factory-subgraph-processes",
);

/** Thrown by calls to a process that has ended. */
export class ProcessEnded extends Error {
  override readonly name = "ProcessEnded";
}

/** A process that runs one subgraph. */
export interface SubgraphProcess<Of extends Operations> {
  /** Resolves with the process's exit code, or with null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Rejects with `ProcessEnded` when the process ends before it answers. */
  call<Name extends keyof Of & string>(name: Name, ...given: Parameters<Of[Name]>): ReturnType<Of[Name]>;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL, which has the same effect as a crash. */
  kill(): Promise<void>;
}

interface Wanted {
  /** A place at which the process dies, as the platform takes it in `FAIL`. */
  readonly failpoint?: string | undefined;
  /** Settings for the program, which can be cloned. */
  readonly settings?: unknown;
}

/** The things that all one subgraph's processes share. */
interface ProcessPlace {
  /** The compiled program, which calls `serveParent`. */
  readonly program: URL;
  readonly database: SuiteDatabase;
  readonly dataDir: string;
}

/** A database and a data directory for a subgraph's processes. */
export async function aProcessPlace(name: SubgraphName, program: URL): Promise<ProcessPlace> {
  const dataDir = await mkdtemp(join(tmpdir(), `${name}-process-`));
  return { program, dataDir, database: await aSuiteDatabase(name) };
}

/**
 * One subgraph that runs in one process after another, over the same database, keys and data directory. Faults that
 * concern a single subgraph need no whole platform.
 */
export class SubgraphProcesses<Of extends Operations> {
  /** Connects as the superuser. */
  readonly admin: pg.Pool;
  readonly #place: ProcessPlace;
  readonly #masterKey = randomBytes(32);
  #last: SubgraphProcess<Of> | undefined;

  constructor(place: ProcessPlace) {
    this.#place = place;
    this.admin = new pg.Pool({ connectionString: place.database.url, max: 2 });
    this.admin.on("error", () => undefined);
  }

  get dataDir(): string {
    return this.#place.dataDir;
  }

  /** Runs a statement as the superuser, for whom row-level security does not apply. */
  async rows<R>(sql: string, ...values: unknown[]): Promise<R[]> {
    return (await this.admin.query(sql, values)).rows as R[];
  }

  /** The process that was started last. */
  get process(): SubgraphProcess<Of> {
    if (!this.#last) throw new Error("No process was started");
    return this.#last;
  }

  /** Starts the next process when the former one has ended. Rejects if it ends before it is ready. */
  async start({ failpoint, settings }: Wanted = {}): Promise<void> {
    const process = await this.#started({ failpoint, settings });
    if (process === undefined) throw new Error("The process was killed before it was ready");
  }

  /**
   * Starts the next process, which dies at a failpoint. Returns false if it dies before it is ready, as an earlier
   * process's job may bring it to the failpoint.
   */
  async startMortal(failpoint: string, settings?: unknown): Promise<boolean> {
    return (await this.#started({ failpoint, settings })) !== undefined;
  }

  async close(): Promise<void> {
    await this.#last?.stop();
    await this.admin.end();
    await this.#place.database.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Undefined if a signal ended the process before it was ready. */
  async #started({ failpoint, settings }: Wanted): Promise<SubgraphProcess<Of> | undefined> {
    await this.#last?.stop();
    const { program, database, dataDir } = this.#place;
    const child = fork(await bundled(program), [], {
      serialization: "advanced",
      env: { ...childEnvironment(), NODE_COMPILE_CACHE: compileCache },
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const exitCode = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    const start: ChildStart = {
      access: database.access,
      ...{ dataDir, masterKey: this.#masterKey, failpoint, settings },
    };
    child.send(start);
    const isReady = await readyOrKilled(child, exitCode);
    this.#last = servingProcess<Of>(child, exitCode);
    return isReady ? this.#last : undefined;
  }
}

/** Resolves with false if a signal ends the process. */
function readyOrKilled(child: ChildProcess, exitCode: Promise<number | null>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`The subgraph was not ready within ${startTimeoutMs} ms`));
    }, startTimeoutMs);
    child.once("message", () => {
      clearTimeout(timer);
      resolve(true);
    });
    void exitCode.then((code) => {
      clearTimeout(timer);
      if (code === null) resolve(false);
      else reject(new Error(`The subgraph ended with ${code} before it was ready`));
    });
  });
}

function servingProcess<Of extends Operations>(
  child: ChildProcess,
  exitCode: Promise<number | null>,
): SubgraphProcess<Of> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const isOver = () => new ProcessEnded("The process has ended");
  let calls = 0;
  child.on("message", (message: FromSubgraph) => {
    if (!("id" in message)) return;
    const { id, value, error } = message;
    const answer = waiting.get(id);
    waiting.delete(id);
    if (error) answer?.reject(receivedError(error));
    else answer?.resolve(value);
  });
  // the last answers are read before the channel closes
  child.once("close", () => {
    for (const answer of waiting.values()) answer.reject(isOver());
    waiting.clear();
  });
  const call = (operation: string, ...callArguments: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (!child.connected) {
        reject(isOver());
        return;
      }
      calls += 1;
      waiting.set(calls, { resolve, reject });
      const message: ChildCall = { id: calls, operation, given: callArguments };
      child.send(message, (error) => {
        if (error) reject(isOver());
      });
    });
  return {
    ended: exitCode,
    call: call as never,
    async stop() {
      child.kill("SIGTERM");
      return exitCode;
    },
    async kill() {
      child.kill("SIGKILL");
      await exitCode;
    },
  };
}
