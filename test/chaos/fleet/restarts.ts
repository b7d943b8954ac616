import { setTimeout as sleep } from "node:timers/promises";
import type { FleetScenario, FleetScene } from "../fault-scenario.js";
import { until } from "../outage.js";
import { LiveView } from "./live-view.js";
import { type FailedRequest, Traffic } from "./traffic.js";

/** A request that began so shortly after a kill may have used a connection to the killed process (ms). */
const inFlightMs = 500;

/** Each process is stopped and started in turn, under requests, executions, live views and sign-ins. Nothing may fail. */
export const restarts: FleetScenario = async (scene) => {
  const { fleet, ledger, size } = scene;
  const phases: Phase[] = [];
  const during = async <T>(name: string, work: Promise<T>): Promise<T> => {
    const from = performance.now();
    return work.finally(() => phases.push({ name, from, to: performance.now() }));
  };
  const { failed, answered, signInsFailed, signIns } = await underTraffic(scene, async () => {
    for (let round = 0; round < size.restarts; round += 1)
      for (let place = 0; place < fleet.size; place += 1) {
        await sleep(2000 * size.pace);
        const code = await during("during a stop", fleet.stop(place));
        if (code !== 0) ledger.note({ promise: "exit code of a stop", found: code ?? Number.NaN, atMost: 0 });
        await during("during a start", fleet.start(place));
      }
    await sleep(2000 * size.pace);
  });
  ledger.note({ promise: "rolling restarts", found: size.restarts * fleet.size, atLeast: 1 });
  ledger.note({ promise: "rolling restarts: answered requests", found: answered, atLeast: 100 });
  noteFailures(scene, "rolling restarts", failed, phases);
  ledger.note({ promise: "rolling restarts: sign-ins", found: signIns, atLeast: 3 });
  for (const reason of signInsFailed)
    ledger.note({ promise: `rolling restarts: sign-in: ${reason}`, found: 1, atMost: 0 });
};

/** One process after the other is killed. Only requests that were in flight may fail. */
export const losses: FleetScenario = async (scene) => {
  const { fleet, ledger, random, size } = scene;
  const kills: number[] = [];
  const { failed, answered } = await underTraffic(scene, async () => {
    for (let kill = 0; kill < size.restarts * fleet.size; kill += 1) {
      await sleep((2000 + 2000 * random()) * size.pace);
      kills.push(performance.now());
      await fleet.kill(kill % fleet.size);
      await fleet.start(kill % fleet.size);
    }
    await sleep(2000 * size.pace);
  });
  const wasInFlight = ({ beganAt, endedAt }: FailedRequest) =>
    kills.some((kill) => beganAt <= kill + inFlightMs && endedAt >= kill);
  ledger.note({ promise: "kill -9 of one of several", found: kills.length, atLeast: 1 });
  ledger.note({ promise: "kill -9 of one: answered requests", found: answered, atLeast: 100 });
  ledger.note({ promise: "kill -9 of one: failed in flight", found: failed.filter(wasInFlight).length });
  noteFailures(
    scene,
    "kill -9 of one, not in flight",
    failed.filter((request) => !wasInFlight(request)),
  );
};

/** A part of the act, with its times (`performance.now`). */
interface Phase {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function noteFailures(
  { ledger }: FleetScene,
  subject: string,
  failures: readonly FailedRequest[],
  phases: readonly Phase[] = [],
): void {
  ledger.note({ promise: `${subject}: failed requests`, found: failures.length, atMost: 0 });
  const kinds = failures.map(({ reason, endedAt }) => {
    const phase = phases.find(({ from, to }) => from <= endedAt && endedAt <= to);
    return `${reason} ${phase ? `${phase.name}, after ${Math.round((endedAt - phase.from) / 500) / 2} s` : "otherwise"}`;
  });
  for (const kind of new Set(kinds))
    ledger.note({ promise: `${subject}: ${kind}`, found: kinds.filter((entry) => entry === kind).length });
}

/** Runs the faults beside requests that nobody repeats, executions, live views and sign-ins. */
async function underTraffic(scene: FleetScene, faults: () => Promise<void>) {
  const { fleet, load, customers, ledger, signIns, size } = scene;
  const { publicUrl } = fleet.platform;
  const views = customers.map((customer) => new LiveView(publicUrl, customer.caller));
  const traffic = new Traffic(publicUrl, customers);
  const before = { done: signIns.done, failed: signIns.failed.length };
  load.start({ registrationsPerSecond: 2, executionsPerSecond: 0.5 });
  traffic.start(size.requestsPerSecond);
  signIns.start();
  await faults();
  await signIns.stop();
  await traffic.stop();
  await load.stop();
  load.registered.push(...traffic.written);
  const due = (place: number) => load.registered.filter(({ customer }) => customer === customers[place]);
  const missing = () =>
    views.reduce((sum, view, place) => sum + due(place).filter(({ id }) => !view.seen.has(id)).length, 0);
  await until(async () => missing() === 0);
  const doubleCount = views.flatMap(({ seen }) => [...seen.values()]).filter((count) => count > 1).length;
  ledger.note({
    promise: "requests whose kept connection was closed, and which were repeated",
    found: traffic.repeated,
  });
  ledger.note({ promise: "live views: events missed", found: missing(), atMost: 0 });
  ledger.note({ promise: "live views: events doubled", found: doubleCount, atMost: 0 });
  ledger.note({
    promise: "live views: sockets that were opened again",
    found: views.reduce((sum, { ends }) => sum + ends, 0),
  });
  for (const view of views) await view.stop();
  return {
    failed: traffic.failed,
    answered: traffic.answered,
    signIns: signIns.done - before.done,
    signInsFailed: signIns.failed.slice(before.failed),
  };
}
