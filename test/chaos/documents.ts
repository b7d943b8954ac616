import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import type { FaultScenario, Scene } from "./fault-scenario.js";
import { hostileDocument } from "./hostile-document.js";
import { percentile } from "./ledger.js";

const atOnce = 8;
const longestMs = 5000;

/**
 * Sends generated GraphQL documents over HTTP and over a websocket. They must not stop other requests and must not stay
 * in memory.
 */
export const documents: FaultScenario = async (scene) => {
  const { arena, ledger, pulse, size } = scene;
  pulse.watch();
  const answersMs: number[] = [];
  const statuses = new Map<number, number>();
  const sendOne = async () => {
    const { status, ms } = await post(scene, hostileDocument(scene.random));
    answersMs.push(ms);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  await inTurns(size.documents, sendOne);
  await overSocket(scene);
  const filledMiB = await arena.residentMiB();
  await inTurns(size.documents, sendOne);
  await sleep(2000);
  await pulse.rest();
  const unexpectedStatuses = [...statuses].filter(([status]) => status === 0 || (status >= 500 && status !== 503));
  ledger.note({ promise: "generated documents", found: answersMs.length });
  ledger.note({
    promise: "generated documents: longest answer",
    found: Math.max(...answersMs),
    atMost: longestMs,
    unit: " ms",
  });
  ledger.note({ promise: "generated documents: p50", found: percentile(answersMs, 0.5), unit: " ms" });
  ledger.note({
    promise: "generated documents: no answer, or 5xx",
    found: unexpectedStatuses.reduce((sum, [, count]) => sum + count, 0),
    atMost: 0,
  });
  ledger.note({
    promise: "memory that the second half of the documents added",
    found: (await arena.residentMiB()) - filledMiB,
    atMost: 64,
    unit: " MiB",
  });
};

async function inTurns(count: number, work: () => Promise<void>): Promise<void> {
  let remaining = count;
  const worker = async () => {
    while (remaining > 0) {
      remaining -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function post({ customers }: Scene, query: string): Promise<{ status: number; ms: number }> {
  const [customer] = customers;
  if (!customer) throw new Error("There is no customer");
  return customer.caller.ask("POST", "/graphql", { body: { query } });
}

/**
 * Sends the same number of documents again in portions that one socket may run. Each operation ends with its answer.
 */
async function overSocket({ arena, customers, size, random }: Scene): Promise<void> {
  const token = await customers[0]?.caller.token();
  const client = createClient({
    url: `${arena.platform.publicUrl.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 5,
  });
  await inTurns(Math.ceil(size.documents / 4), async () => {
    await new Promise<void>((resolve) => {
      const query = hostileDocument(random);
      const end = client.subscribe({ query }, { next: () => end(), error: () => resolve(), complete: () => resolve() });
    });
  });
  await client.dispose();
}
