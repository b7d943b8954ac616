import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { ProcessEnded } from "@factory/runtime/faults/subgraph-process.fixture";
import { aPrincipal } from "../../integration.fixture.js";
import { IntegrationProcesses } from "../../integration-processes.fixture.js";
import { WebhookReceiver } from "./webhook-receiver.fixture.js";

const keys = Array.from({ length: 8 }, (_, place) => `order-key${place}`);
const eventsPerSecond = 200;
const arrivalsPerKill = 100;
const kills = killsAt(2);
const arrivalTimeoutMs = 180_000;

interface Arrival {
  readonly id: string;
  /** A provider's name is its change's number. */
  readonly data: { readonly key: string; readonly displayName: string };
  /** The number of kills before the arrival. */
  readonly after: number;
}

const register = "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }";
const update =
  "mutation ($id: ID!, $input: UpdateProviderInput!) { updateProvider(providerId: $id, input: $input) { displayName } }";
const subscribe =
  "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }";

describe("kill -9 while 200 events a second are sent by webhooks", () => {
  const principal = aPrincipal();
  const providers = new Map<string, string>();
  let subgraph: IntegrationProcesses;
  let killCount = 0;

  beforeAll(async () => {
    subgraph = await IntegrationProcesses.open();
  });
  afterAll(() => subgraph.close());

  async function start(): Promise<void> {
    const now = new Date();
    await subgraph.start();
    // The killed process's claims end now, and not 30 s after they were made.
    await subgraph.rows(
      `update integration.webhook_messages set next_attempt_at = now()
       where status = 'Delivering' and next_attempt_at < $1::timestamptz + interval '30 seconds'`,
      now,
    );
  }

  async function aSubscriber(ordering: string) {
    const after: number[] = [];
    const receiver = await WebhookReceiver.start();
    receiver.answer = () => {
      after.push(killCount);
      return { status: 204 };
    };
    const endpointUrl = receiver.url("/hooks");
    const input = { endpointUrl, signingSecretRef: "hooks", ordering, eventType: "ProviderUpdated" };
    await subgraph.only(principal, subscribe, { input });
    const arrivals = (): Arrival[] =>
      receiver.received.map((webhook, place) => ({ ...JSON.parse(webhook.body), after: after[place] ?? 0 }));
    return { received: receiver.received, arrivals, close: () => receiver.stop() };
  }

  /**
   * Changes a provider, which is one event. A change that a dead process has not answered is made again, which makes
   * no second event if it had been committed.
   */
  async function write(key: string, version: number): Promise<boolean> {
    const variables = { id: providers.get(key), input: { displayName: String(version) } };
    return subgraph.only(principal, update, variables).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ProcessEnded) return false;
        throw error;
      },
    );
  }

  /** Returns the last change's number. All changes must arrive. */
  async function writeUntil(signal: AbortSignal, key: string): Promise<number> {
    let version = 1;
    for (let due = performance.now(); ; due += (keys.length * 1000) / eventsPerSecond) {
      await sleep(Math.max(0, due - performance.now()));
      if (!(await write(key, version))) due = performance.now() + 25;
      else if (signal.aborted) return version;
      else version += 1;
    }
  }

  it("loses none, repeats a webhook at most once for each kill, and keeps the order of each key in fifo", async () => {
    await start();
    for (const key of keys) {
      const input = { key, displayName: "0", category: "Other", authModel: "None" };
      providers.set(key, (await subgraph.only(principal, register, { input })).providerId);
    }
    const [fifo, parallel] = [await aSubscriber("fifo"), await aSubscriber("parallel")];
    const stop = new AbortController();
    const writing = Promise.all(keys.map((key) => writeUntil(stop.signal, key)));
    writing.catch(() => undefined);
    for (; killCount < kills; await start()) {
      const before = fifo.received.length;
      const hasArrived = () => fifo.received.length >= before + arrivalsPerKill;
      await eventually("webhooks arrive", hasArrived, arrivalTimeoutMs);
      await sleep(Math.random() * 300);
      await subgraph.process.kill();
      // webhooks from the killed process may still be in a socket
      await sleep(100);
      killCount += 1;
    }
    stop.abort();
    const newest = await writing;
    for (const { arrivals, close } of [fifo, parallel]) {
      const changesHere = () => new Set(arrivals().map(({ data: { key, displayName } }) => `${key} ${displayName}`));
      const missing = () => {
        const here = changesHere();
        return keys.flatMap((key, place) =>
          Array.from({ length: newest[place] ?? 0 }, (_, version) => `${key} ${version + 1}`).filter(
            (change) => !here.has(change),
          ),
        );
      };
      await eventually("every event arrives", () => missing().length === 0, arrivalTimeoutMs).catch(() => undefined);
      expect(missing()).toEqual([]);
      expect(changesHere().size).toBe(newest.reduce((sum, count) => sum + count, 0));
      // A process sends a webhook once, so each kill adds at most one repetition, with the same id.
      const all = arrivals();
      const timesSent = new Map<string, number>();
      for (const { id, after } of all) timesSent.set(`${id} ${after}`, (timesSent.get(`${id} ${after}`) ?? 0) + 1);
      expect([...timesSent].filter(([, times]) => times > 1)).toEqual([]);
      const ids = new Set(all.map(({ id }) => id));
      expect(ids.size).toBe(changesHere().size);
      await close();
    }
    for (const key of keys) {
      const versions = fifo.arrivals().flatMap(({ data }) => (data.key === key ? [Number(data.displayName)] : []));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
    }
  }, 1_200_000);
});
