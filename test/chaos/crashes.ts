import { setTimeout as sleep } from "node:timers/promises";
import type { FaultScenario } from "./fault-scenario.js";
import { percentile } from "./ledger.js";

/** Kills the process with SIGKILL 3 to 8 s after it was ready, and every second time also its PostgreSQL. */
export const crashes: FaultScenario = async ({ arena, load, ledger, pulse, random, size }) => {
  const before = arena.startsMs.length;
  load.start({ registrationsPerSecond: 5, executionsPerSecond: 2 });
  for (let kill = 0; kill < size.kills; kill += 1) {
    pulse.watch();
    await sleep((3000 + 5000 * random()) * size.pace);
    await pulse.rest();
    await arena.crash({ withPostgres: kill % 2 === 1 });
    await arena.start();
  }
  await load.stop();
  const startsMs = arena.startsMs.slice(before);
  ledger.note({ promise: "kill -9 of the process, every second with PostgreSQL", found: startsMs.length });
  ledger.note({ promise: "kill to ready, p50", found: percentile(startsMs, 0.5) / 1000, unit: " s" });
  ledger.note({ promise: "kill to ready, longest", found: Math.max(...startsMs) / 1000, unit: " s" });
};
