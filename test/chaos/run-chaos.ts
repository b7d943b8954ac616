import { createHash } from "node:crypto";
import { prepareClusterLayout } from "@factory/runtime/postgres/cluster-layout";
import { Arena } from "./arena.js";
import { crashes } from "./crashes.js";
import { documents } from "./documents.js";
import type { FaultScenario, Size } from "./fault-scenario.js";
import { judge } from "./judgement.js";
import { Ledger, percentile } from "./ledger.js";
import { aCustomer, Load } from "./load.js";
import { neighbors } from "./neighbors.js";
import { mountDisk, outages } from "./outages.js";
import { VitalSigns } from "./vital-signs.js";
import { WebhookReceiver } from "./webhook-receiver.js";

const acts = { crashes, outages, neighbors, documents } as const satisfies Record<string, FaultScenario>;

export const actNames = Object.keys(acts) as (keyof typeof acts)[];

export interface ChaosOrder {
  readonly dataDir: string;
  readonly size: Size;
  readonly seed: number;
  readonly only?: keyof typeof acts;
  readonly tell: (line: string) => void;
}

/**
 * Runs the acts one after the other over one platform. At the end it compares the acknowledged requests with the stored
 * results.
 */
export async function runChaos({ dataDir, size, seed, only, tell }: ChaosOrder): Promise<Ledger> {
  const ledger = new Ledger();
  tell(`seed ${seed}`);
  const { home } = await prepareClusterLayout(dataDir);
  const unmount = await mountDisk(home);
  const receiver = await WebhookReceiver.open();
  const arena = await Arena.open(dataDir);
  const pulse = new VitalSigns(arena.platform.publicUrl);
  try {
    const customers = [];
    for (const slug of ["alpha", "beta", "gamma"]) customers.push(await aCustomer(arena, slug, receiver));
    const load = new Load(customers);
    const scene = { arena, load, customers, receiver, ledger, pulse, random: randomOf(seed), size };
    for (const name of only ? [only] : actNames) {
      tell(name);
      await acts[name](scene);
    }
    tell("judgement");
    await judge(arena, load, receiver, ledger);
    const { latenciesMs, failed } = await pulse.report();
    ledger.note({ promise: "/livez p99", found: percentile(latenciesMs, 0.99), atMost: 100, unit: " ms" });
    ledger.note({ promise: "/livez longest", found: Math.max(...latenciesMs), unit: " ms" });
    ledger.note({ promise: "/livez without an answer", found: failed, atMost: 0 });
    return ledger;
  } finally {
    await pulse.close();
    await arena.stop();
    await unmount?.();
    await arena.remove();
    receiver.close();
  }
}

/** A random number generator that returns the same numbers for the same seed on every machine. */
function randomOf(seed: number): () => number {
  let drawn = 0;
  return () => {
    drawn += 1;
    return createHash("sha256").update(`${seed} ${drawn}`).digest().readUInt32BE() / 2 ** 32;
  };
}
