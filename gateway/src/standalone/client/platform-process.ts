import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { removeDataDirectory } from "@factory/runtime/postgres/remove-cluster";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { bareEnvironment } from "../settings/environment.js";
import type { RunningPlatform } from "./platform-api.js";

const main = fileURLToPath(new URL("../../../dist/standalone/main.js", import.meta.url));
/** Generous: a first start makes the cluster, and the machine may be busy. */
const startTimeoutMs = 120_000;
const freePorts = { PORT: "0", INTERNAL_PORT: "0", GRPC_PORT: "0" };

/** The platform as its user starts it: a process of its own, on free ports. */
export interface PlatformProcess extends RunningPlatform {
  readonly grpcAddress: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Its exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  /** SIGTERM, and the exit code it ends with. */
  stop(): Promise<number | null>;
  /** SIGKILL: what a crash does. */
  kill(): Promise<void>;
}

/** A new empty folder for DATA_DIR. */
export async function temporaryDataDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "factory-"));
}

/** Starts the platform as a child process and resolves when it is ready. Throws after two minutes, or when it ends before. */
export async function startPlatformProcess(
  dataDir: string,
  variables: Record<string, string> = {},
  onLine?: (line: string) => void,
): Promise<PlatformProcess> {
  const child = spawn(process.execPath, [main], {
    env: { ...bareEnvironment(), ...freePorts, DATA_DIR: dataDir, LOG_LEVEL: "warn", ...variables },
    stdio: ["ignore", "pipe", onLine ? "pipe" : "inherit"],
  });
  if (onLine)
    for (const input of [child.stdout, child.stderr]) if (input) createInterface({ input }).on("line", onLine);
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  await rm(join(dataDir, "runtime.json"), { force: true });
  await ready(child);
  const { publicUrl, internalUrl, grpcAddress, pid } = JSON.parse(
    await readFile(join(dataDir, "runtime.json"), "utf8"),
  );
  return {
    publicUrl,
    internalUrl,
    grpcAddress,
    dataDir,
    pid,
    ended,
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Also removes the cluster that a process started as root keeps elsewhere. */
export async function removeData(dataDir: string): Promise<void> {
  await removeDataDirectory(dataDir, createLogger("cleanup", "silent"));
}

/** The process prints once when it is ready. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The platform was not ready within ${startTimeoutMs} ms`)),
      startTimeoutMs,
    );
    let printed = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (!printed.includes("The platform is ready.")) return;
      clearTimeout(timer);
      resolve();
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`The platform ended with ${code} before it was ready`));
    });
  });
}
