import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { open, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { readJson } from "@factory/gateway/standalone/client/platform-api";
import type { Arena } from "./arena.js";
import type { Answer } from "./caller.js";
import type { FaultScenario, Scene } from "./fault-scenario.js";

const run = promisify(execFile);

const outageMs = 6000;
const recoveryMs = 60_000;
/**
 * The time between the freeze of the server and the first 503: two seconds without an answer and the interval of a
 * probe.
 */
const longestAnswerMs = 5000;

/** PostgreSQL is stopped, killed, frozen, or has a full disk, while the process of the platform keeps running. */
export const outages: FaultScenario = async (scene) => {
  const { arena, load, ledger, pulse, size } = scene;
  load.start({ registrationsPerSecond: 5, executionsPerSecond: 1 });
  pulse.watch();
  for (let round = 0; round < size.outages; round += 1) {
    await outage(scene, "stopped", async () => {
      process.kill((await arena.postgres()).pid, "SIGINT");
      return undefined;
    });
    await outage(scene, "killed", async () => {
      await arena.signalPostgres("SIGKILL");
      return undefined;
    });
    await outage(scene, "frozen", async () => {
      await arena.signalPostgres("SIGSTOP");
      await sleep(outageMs);
      return () => arena.signalPostgres("SIGCONT");
    });
  }
  if (await hasOwnDisk(arena)) await outage(scene, "on a full disk", () => fillDisk(arena));
  else ledger.note({ promise: "full disk: not run, mounting needs root", found: 0 });
  pulse.rest();
  await load.stop();
};

type Repair = () => Promise<void>;

/** Reads and writes continue during the outage. Each must be answered in time, with 2xx or 503. */
async function outage(
  { arena, customers, ledger, random, size }: Scene,
  name: string,
  begin: () => Promise<Repair | undefined>,
): Promise<void> {
  const [customer] = customers;
  if (!customer) return;
  await sleep((1000 + 2000 * random()) * size.pace);
  const answers: Answer<unknown>[] = [];
  let over = false;
  const asking = async (ask: () => Promise<Answer<unknown>>) => {
    while (!over) {
      answers.push(await ask());
      await sleep(50);
    }
  };
  const writeOne = () => customer.caller.ask("POST", "/v1/templates", { body: { name: `meanwhile-${randomUUID()}` } });
  const readOne = () => customer.caller.ask("GET", `/v1/templates/${customer.templateId}`);
  const asked = Promise.all([asking(readOne), asking(writeOne)]);
  const repair = await begin();
  await repair?.();
  const repaired = performance.now();
  const recovered = await until(async () => (await fetch(`${arena.platform.publicUrl}/readyz`)).status === 200);
  over = true;
  await asked;
  const seconds = recovered ? (performance.now() - repaired) / 1000 : Number.NaN;
  const longestMs = Math.max(...answers.map(({ ms }) => ms));
  const count = (counts: (status: number) => boolean) => answers.filter(({ status }) => counts(status)).length;
  const subject = `PostgreSQL ${name}`;
  ledger.note({ promise: `${subject}: ready again`, found: seconds, atMost: recoveryMs / 1000, unit: " s" });
  ledger.note({ promise: `${subject}: longest answer`, found: longestMs, atMost: longestAnswerMs, unit: " ms" });
  ledger.note({ promise: `${subject}: answers 503`, found: count((status) => status === 503) });
  ledger.note({
    promise: `${subject}: answers other than 200, 201 and 503`,
    found: count((status) => ![200, 201, 503].includes(status)),
    atMost: 0,
  });
}

async function until(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + recoveryMs;
  while (Date.now() < deadline) {
    if (await condition().catch(() => false)) return true;
    await sleep(100);
  }
  return false;
}

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
