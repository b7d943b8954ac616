import { execFile } from "node:child_process";
import { open, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { readJson } from "@factory/platform/client/platform-api";
import type { Arena } from "./arena.js";
import type { FaultScenario } from "./fault-scenario.js";
import { outage, type Repair } from "./outage.js";

const run = promisify(execFile);

const outageMs = 6000;
/** PostgreSQL is stopped, killed, frozen, or has a full disk, while the platform's process keeps running. */
export const outages: FaultScenario = async (scene) => {
  const { arena, load, ledger, pulse, size } = scene;
  load.start({ registrationsPerSecond: 5, executionsPerSecond: 1 });
  pulse.watch();
  for (let round = 0; round < size.outages; round += 1) {
    await outage(scene, arena, "PostgreSQL stopped", async () => {
      process.kill((await arena.postgres()).pid, "SIGINT");
      return undefined;
    });
    await outage(scene, arena, "PostgreSQL killed", async () => {
      await arena.signalPostgres("SIGKILL");
      return undefined;
    });
    await outage(scene, arena, "PostgreSQL frozen", async () => {
      await arena.signalPostgres("SIGSTOP");
      await sleep(outageMs);
      return () => arena.signalPostgres("SIGCONT");
    });
  }
  if (await hasOwnDisk(arena)) await outage(scene, arena, "PostgreSQL on a full disk", () => fillDisk(arena));
  else ledger.note({ promise: "full disk: not run, mounting needs root", found: 0 });
  await pulse.rest();
  await load.stop();
};

const diskMiB = 768;

/** Mounts a separate file system for PostgreSQL if the account may mount one. It must exist before the first start. */
export async function mountDisk(clusterHome: string): Promise<(() => Promise<void>) | undefined> {
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${diskMiB}m,mode=0711`, "tmpfs", clusterHome]);
  } catch {
    return undefined;
  }
  return async () => {
    await run("umount", [clusterHome]);
  };
}

async function clusterHome(arena: Arena): Promise<string> {
  return dirname((await readJson<{ clusterDir: string }>(arena.dataDir, "postgres.json")).clusterDir);
}

async function hasOwnDisk(arena: Arena): Promise<boolean> {
  const { blocks, bsize } = await statfs(await clusterHome(arena));
  return blocks * bsize <= diskMiB * 1024 * 1024;
}

async function fillDisk(arena: Arena): Promise<Repair> {
  const ballast = join(await clusterHome(arena), "ballast");
  const file = await open(ballast, "w");
  try {
    for (const piece = Buffer.alloc(1024 * 1024); ; ) await file.write(piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    await file.close();
  }
  await sleep(outageMs);
  return () => rm(ballast, { force: true });
}
