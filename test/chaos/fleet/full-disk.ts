import { setTimeout as sleep } from "node:timers/promises";
import type { FleetScenario } from "../fault-scenario.js";
import { outage } from "../outage.js";

/** Long enough to probe the folder twice. */
const fullMs = 12_000;

/** Each DATA_DIR's disk is full in turn. Executions wait for it, or run in the other process. */
export const fullDisk: FleetScenario = async (scene) => {
  const { fleet, load, ledger, size } = scene;
  load.start({ registrationsPerSecond: 5, executionsPerSecond: 1 });
  for (let round = 0; round < size.outages; round += 1)
    for (let place = 0; place < fleet.size; place += 1)
      await outage(scene, fleet, "DATA_DIR of one process is full", async () => {
        const { disk, process } = fleet.member(place);
        await disk.fill();
        await sleep(fullMs);
        const { status } = await fetch(`${process?.internalUrl}/readyz`);
        ledger.note({ promise: "a full DATA_DIR: status of /readyz", found: status, atLeast: 503 });
        return () => disk.free();
      });
  await load.stop();
};
