import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Logger } from "../telemetry/logger.js";

interface Postmaster {
  pid: number;
  ready: boolean;
}

/** A running or dead server's `postmaster.pid`: the pid in line 1, the state in line 8. */
export async function readPostmasterFile(clusterDir: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(clusterDir, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  return pid > 0 ? { pid, ready: lines[7]?.trim() === "ready" } : undefined;
}

/**
 * Stops a server that was left by a killed platform, and removes its files. The caller holds the data directory's lock,
 * so no other process uses that server.
 */
export async function stopOrphanedPostmaster(clusterDir: string, logger: Logger): Promise<void> {
  const orphan = await readPostmasterFile(clusterDir);
  if (orphan !== undefined && (await isPostmasterOf(orphan.pid, clusterDir))) {
    logger.warn({ pid: orphan.pid }, "stopping a PostgreSQL that an earlier platform left running");
    await stopByPid(orphan.pid, clusterDir);
  }
  await removeStalePostmasterFile(clusterDir);
}

/**
 * Removes a stale postmaster.pid. PostgreSQL would take any process with the same account and pid for its predecessor.
 */
export async function removeStalePostmasterFile(clusterDir: string): Promise<void> {
  const staleServer = await readPostmasterFile(clusterDir);
  if (staleServer === undefined || (await isPostmasterOf(staleServer.pid, clusterDir))) return;
  await rm(join(clusterDir, "postmaster.pid"), { force: true });
}

async function stopByPid(pid: number, clusterDir: string): Promise<void> {
  const steps = [
    { signal: "SIGINT", patienceMs: 5_000 },
    { signal: "SIGQUIT", patienceMs: 3_000 },
    { signal: "SIGKILL", patienceMs: 2_000 },
  ] as const;
  for (const { signal, patienceMs } of steps) {
    try {
      process.kill(pid, signal);
    } catch {
      return; // the process ended between the check and the signal
    }
    for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(20)) {
      if (!(await isPostmasterOf(pid, clusterDir))) return;
    }
  }
  throw new Error(`the PostgreSQL with pid ${pid} in ${clusterDir} does not stop`);
}

/** Whether the process runs; false for a zombie, whose command line is empty. */
async function isPostmasterOf(pid: number, clusterDir: string): Promise<boolean> {
  const [program, ...args] = await commandLine(pid);
  return program !== undefined && basename(program) === "postgres" && args.join(" ").includes(`-D ${clusterDir}`);
}

async function commandLine(pid: number): Promise<string[]> {
  try {
    if (process.platform === "linux") return (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return stdout.trim().split(" ");
  } catch {
    return [];
  }
}
