import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { removeDataDirectory } from "@factory/runtime/postgres/remove-cluster";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { bareEnvironment } from "../settings/environment.js";
import type { RunningPlatform } from "./platform-api.js";

/** The program in a checkout. Releases before the package `platform` have it in the gateway. */
function programOf(checkout: string): string {
  const program = join(checkout, "gateway/platform/dist/bundle/main.js");
  return existsSync(program) ? program : join(checkout, "gateway/dist/bundle/main.js");
}
const ownCheckout = fileURLToPath(new URL("../../../..", import.meta.url));
/** A long timeout, because a first start creates the database cluster and the machine may be busy. */
const startTimeoutMs = 120_000;
const lastLinesMs = 1000;
const freePorts = { PORT: "0", INTERNAL_PORT: "0", GRPC_PORT: "0" };

/** The platform in a separate process on free ports, started in the same way as by a user. */
export interface PlatformProcess extends RunningPlatform {
  readonly grpcAddress: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Resolves with the process's exit code, or with null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL, which has the same effect as a crash. */
  kill(): Promise<void>;
}

/** A new empty folder for DATA_DIR. */
export async function temporaryDataDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "factory-"));
}

/**
 * Starts the platform as a child process and resolves when it is ready. Throws after two minutes, or when the process
 * ends before it is ready. `checkout` is another release's folder.
 */
export async function startPlatformProcess(
  dataDir: string,
  variables: Record<string, string> = {},
  onLine?: (line: string) => void,
  checkout = ownCheckout,
): Promise<PlatformProcess> {
  const child = spawn(process.execPath, [programOf(checkout)], {
    env: { ...bareEnvironment(), ...freePorts, DATA_DIR: dataDir, LOG_LEVEL: "warn", ...variables },
    stdio: ["ignore", "pipe", onLine ? "pipe" : "inherit"],
  });
  if (onLine)
    for (const input of [child.stdout, child.stderr]) if (input) createInterface({ input }).on("line", onLine);
  const exitCode = endOf(child);
  await rm(join(dataDir, "runtime.json"), { force: true });
  await ready(child, exitCode);
  const { publicUrl, internalUrl, grpcAddress, pid } = JSON.parse(
    await readFile(join(dataDir, "runtime.json"), "utf8"),
  );
  return {
    publicUrl,
    internalUrl,
    grpcAddress,
    dataDir,
    pid,
    ended: exitCode,
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

/** Removes DATA_DIR. Also removes the database cluster, which a process started as root keeps in another folder. */
export async function removeData(dataDir: string): Promise<void> {
  await removeDataDirectory(dataDir, createLogger("cleanup", "silent"));
}

/** The exit code, once the last lines were read. A database that outlives the process can keep its pipes open. */
async function endOf(child: ChildProcess): Promise<number | null> {
  const closing = once(child, "close");
  const [code] = (await once(child, "exit")) as [number | null];
  // a pipe still holds the lines that were printed before the exit, and they are read in the event loop's next turn
  await Promise.race([closing, sleep(lastLinesMs).then(() => nextTurn())]);
  return code;
}

/** Resolves when the process prints that the platform is ready. */
function ready(child: ChildProcess, exitCode: Promise<number | null>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The platform was not ready within ${startTimeoutMs} ms`)),
      startTimeoutMs,
    );
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (!output.includes("The platform is ready.")) return;
      clearTimeout(timer);
      resolve();
    });
    void exitCode.then((code) => {
      clearTimeout(timer);
      reject(new Error(`The platform ended with ${code} before it was ready`));
    });
  });
}
