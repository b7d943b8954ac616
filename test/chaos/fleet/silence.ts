import type { FleetScenario } from "../fault-scenario.js";
import { outage } from "../outage.js";
import type { Fleet } from "./fleet.js";

/** Connections to the database go silent: a proxy forgets them, or their server processes stop. */
export const silence: FleetScenario = async (scene) => {
  const { fleet, load, ledger, size } = scene;
  load.start({ registrationsPerSecond: 5, executionsPerSecond: 1 });
  for (let round = 0; round < size.outages; round += 1) {
    await outage(scene, fleet, "a proxy forgets all connections", async () => {
      const forgotten = fleet.proxy.forget();
      ledger.note({ promise: "connections that the proxy forgot", found: forgotten, atLeast: 10 });
      return undefined;
    });
    let stoppedPids: number[] = [];
    await outage(scene, fleet, "server processes of the background stop", async () => {
      stoppedPids = await stopWorkers(fleet);
      ledger.note({ promise: "server processes that were stopped", found: stoppedPids.length, atLeast: 5 });
      return undefined;
    });
    // the person who operates the server; the locks of a stopped process would keep loops from their turns for ever
    for (const pid of stoppedPids) resume(pid);
  }
  await load.stop();
};

/** Stops the server processes that serve background work. */
async function stopWorkers(fleet: Fleet): Promise<number[]> {
  const workers = await fleet.rows<{ pid: number }>(
    `select pid from pg_stat_activity
     where usename like '%worker' and backend_type = 'client backend' and datname = current_database()`,
  );
  for (const { pid } of workers) process.kill(pid, "SIGSTOP");
  fleet.whenClosed(() => {
    for (const { pid } of workers) resume(pid);
  });
  return workers.map(({ pid }) => pid);
}

function resume(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
