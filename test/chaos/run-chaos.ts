import { createHash } from "node:crypto";
import { prepareClusterLayout } from "@factory/runtime/postgres/cluster-layout";
import { aTenant } from "../kit/tenants.js";
import { Arena } from "./arena.js";
import { crashes } from "./crashes.js";
import { documents } from "./documents.js";
import type { FaultScenario, FleetScenario, Size } from "./fault-scenario.js";
import { failover } from "./fleet/failover.js";
import { Fleet } from "./fleet/fleet.js";
import { fullDisk } from "./fleet/full-disk.js";
import { losses, restarts } from "./fleet/restarts.js";
import { SignIns } from "./fleet/sign-ins.js";
import { silence } from "./fleet/silence.js";
import { formerRelease } from "./former-release.js";
import { type Floor, judge } from "./judgement.js";
import { Ledger, percentile } from "./ledger.js";
import { aCustomer, Load } from "./load.js";
import { neighbors } from "./neighbors.js";
import { mountDisk, outages } from "./outages.js";
import { workSteadily } from "./quiet-phase.js";
import type { Stage } from "./stage.js";
import { VitalSigns } from "./vital-signs.js";
import { WebhookReceiver } from "./webhook-receiver.js";

const acts = { crashes, outages, neighbors, documents, formerRelease } as const satisfies Record<string, FaultScenario>;
/** Acts at two processes over one database. */
const fleetActs = { silence, failover, fullDisk, restarts, losses } as const satisfies Record<string, FleetScenario>;

type ActName = keyof typeof acts | keyof typeof fleetActs;

export const actNames = [...Object.keys(acts), ...Object.keys(fleetActs)] as ActName[];

interface ChaosOrder {
  readonly dataDir: string;
  readonly size: Size;
  readonly seed: number;
  readonly only?: ActName;
  readonly skip?: readonly string[];
  readonly tell: (line: string) => void;
}

const quietSeconds = 5;
/** The least acknowledged work in each act, by its kind. */
const floorOfAct: Floor = { registrations: 5, executions: 2 };
const slugs = ["alpha", "beta", "gamma"];

/**
 * Runs the acts one after the other: those at one process, then those at two. After each part it compares the
 * acknowledged requests with the stored results.
 */
export async function runChaos(order: ChaosOrder): Promise<Ledger> {
  const ledger = new Ledger();
  order.tell(`seed ${order.seed}`);
  const { only, skip = [] } = order;
  const isWanted = (name: ActName) => (only === undefined ? !skip.includes(name) : only === name);
  const alone = (Object.keys(acts) as (keyof typeof acts)[]).filter(isWanted);
  const together = (Object.keys(fleetActs) as (keyof typeof fleetActs)[]).filter(isWanted);
  if (alone.length > 0) await runAlone(order, alone, ledger);
  if (together.length > 0) await runFleet(order, together, ledger);
  return ledger;
}

async function runAlone({ dataDir, size, seed, tell }: ChaosOrder, names: (keyof typeof acts)[], ledger: Ledger) {
  const { home } = await prepareClusterLayout(dataDir);
  const unmount = await mountDisk(home);
  const receiver = await WebhookReceiver.open();
  const arena = await Arena.open(dataDir);
  const pulse = new VitalSigns(arena.platform.publicUrl);
  try {
    const { customers, quiet, calm } = await prepare(arena, receiver, size, pulse);
    const load = new Load(customers);
    const scene = { arena, load, customers, receiver, ledger, pulse, quiet, random: randomOf(seed), size, tell };
    for (const name of names) {
      tell(name);
      await acts[name](scene);
    }
    tell("judgement");
    const loadedCount = names.filter((name) => name === "crashes" || name === "outages").length;
    await judge(arena, { load, receiver, ledger, floor: floorOf(loadedCount) });
    const { latenciesMs, failed } = await pulse.report();
    // the two releases are not watched
    if (latenciesMs.length + failed === 0) return;
    const p99 = percentile(latenciesMs, 0.99);
    ledger.note({ promise: "/livez p99", found: p99, atMost: Math.max(100, 10 * calm), unit: " ms" });
    ledger.note({ promise: "/livez longest", found: Math.max(...latenciesMs), unit: " ms" });
    ledger.note({ promise: "/livez without an answer", found: failed, atMost: 0 });
  } finally {
    await pulse.close();
    await arena.stop();
    await unmount?.();
    await arena.remove();
    receiver.close();
  }
}

async function runFleet({ size, seed, tell }: ChaosOrder, names: (keyof typeof fleetActs)[], ledger: Ledger) {
  const receiver = await WebhookReceiver.open();
  const fleet = await Fleet.open();
  try {
    await fleet.start(0);
    // mail is written to the sending process's folder, so the invitation comes before there is another one
    const signIns = await SignIns.prepare(await aTenant());
    for (let place = 1; place < fleet.size; place += 1) await fleet.start(place);
    const { customers, quiet } = await prepare(fleet, receiver, size);
    const load = new Load(customers);
    const scene = { fleet, signIns, load, customers, receiver, ledger, quiet, random: randomOf(seed), size, tell };
    for (const name of names) {
      tell(name);
      await fleetActs[name](scene);
    }
    tell("judgement of several processes");
    await judge(fleet, { load, receiver, ledger, floor: floorOf(names.length) });
  } finally {
    await fleet.close();
    receiver.close();
  }
}

/** Makes the customers, and measures their times before the first fault. */
async function prepare(stage: Stage, receiver: WebhookReceiver, { pace }: Size, pulse?: VitalSigns) {
  const customers = [];
  for (const slug of slugs) customers.push(await aCustomer(stage, slug, receiver));
  const [first] = customers;
  if (!first) throw new Error("There is no customer");
  pulse?.watch();
  const quiet = await workSteadily(first, receiver, quietSeconds * pace);
  await pulse?.rest();
  const calm = pulse ? percentile((await pulse.report()).latenciesMs, 0.99) : 0;
  return { customers, quiet, calm };
}

const floorOf = (actsUnderLoad: number): Floor => ({
  registrations: actsUnderLoad * floorOfAct.registrations,
  executions: actsUnderLoad * floorOfAct.executions,
});

/** A random number generator that returns the same numbers for the same seed on every machine. */
function randomOf(seed: number): () => number {
  let draws = 0;
  return () => {
    draws += 1;
    return createHash("sha256").update(`${seed} ${draws}`).digest().readUInt32BE() / 2 ** 32;
  };
}
