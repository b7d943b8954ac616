import { setTimeout as sleep } from "node:timers/promises";
import type { FleetScenario } from "../fault-scenario.js";
import { outage } from "../outage.js";
import type { Fleet } from "./fleet.js";

const demotedMs = 6000;

/** The server is demoted and accepts no writes, and later it is the primary again. Its connections stay open. */
export const failover: FleetScenario = async (scene) => {
  const { fleet, load, size } = scene;
  load.start({ registrationsPerSecond: 5, executionsPerSecond: 1 });
  for (let round = 0; round < size.outages; round += 1)
    await outage(scene, fleet, "the server is demoted", async () => {
      await setReadOnly(fleet, true);
      await sleep(demotedMs);
      return () => setReadOnly(fleet, false);
    });
  await load.stop();
};

async function setReadOnly(fleet: Fleet, isReadOnly: boolean): Promise<void> {
  await fleet.rows(`alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`);
  await fleet.rows("select pg_reload_conf()");
}
