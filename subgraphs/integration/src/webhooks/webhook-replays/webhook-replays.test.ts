import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { Database } from "@factory/runtime/unit-of-work/database";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { integrationTables } from "../../tables.js";
import { WebhookReceiver } from "../webhook-dispatch/webhook-receiver.fixture.js";
import { countSelected } from "./page-statement.js";
import { ReplayScene } from "./replay.fixture.js";

/** `REPLAY_EVENTS=100000` replays as many as the platform promises. */
const manyEvents = Number(process.env["REPLAY_EVENTS"] ?? 1000);
const patienceMs = 60_000 + manyEvents * 10;

let fixture: IntegrationFixture;
let receiver: WebhookReceiver;
let scene: ReplayScene;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ retryDelaysMs: [0, 50, 50, 50] });
});

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  scene = new ReplayScene(fixture, receiver, aPrincipal());
});

afterEach(() => receiver.stop());

afterAll(() => fixture.close());

const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1);

/** Waits until the replay has made so many webhooks due. */
const untilReplayed = (runId: string, count: number) =>
  eventually(async () => {
    const { status, progress } = await scene.runOf(runId);
    return status !== "Queued" && (progress?.replayed ?? 0) >= count ? progress : undefined;
  }, patienceMs);

describe("a replay of webhooks", () => {
  it(
    "that is cancelled on its way and continued by a second run sends each webhook once in both together",
    async () => {
      const subscription = await scene.exhausted(manyEvents);
      const began = performance.now();
      const first = await scene.replay(subscription);
      expect(first).toMatchObject({ operation: "ReplayDeliveries", status: "Queued" });
      await untilReplayed(first.runId, 1);
      const cancelledRun = await scene.cancel(first.runId);
      expect(cancelledRun).toMatchObject({ status: "Cancelled", progress: { total: manyEvents } });
      expect(cancelledRun.progress.replayed).toBeLessThan(manyEvents);
      await scene.settled(patienceMs);
      expect(scene.ids).toHaveLength(cancelledRun.progress.replayed);
      const second = await scene.replay(subscription, { continueRunId: first.runId });
      const { status, result } = await scene.ended(second.runId, patienceMs);
      const rest = manyEvents - cancelledRun.progress.replayed;
      expect([status, result]).toEqual([
        "Completed",
        {
          ...{ replayed: rest, total: rest, unsent: 0, passedOver: 0 },
          ...{ continues: first.runId, reachedAt: expect.any(String) },
        },
      ]);
      await scene.settled(patienceMs);
      const seconds = (performance.now() - began) / 1000;
      if (manyEvents > 1000)
        process.stdout.write(`${manyEvents} webhooks replayed by two runs in ${seconds.toFixed(0)} s\n`);
      expect(scene.arrivals).toEqual({ most: 1, different: manyEvents });
      expect(await scene.count("status = 'Delivered'")).toBe(manyEvents);
    },
    3 * patienceMs,
  );

  it("goes on from where it was when its process stops, and sends each webhook once", async () => {
    const subscription = await scene.exhausted(800);
    const { runId } = await scene.replay(subscription);
    await untilReplayed(runId, 100);
    await fixture.restart();
    expect(await scene.ended(runId)).toMatchObject({ status: "Completed", attempts: 1, result: { replayed: 800 } });
    await scene.settled();
    expect(scene.arrivals.different).toBe(800);
    // the stop of the dispatcher interrupts requests that the receiver may have got
    expect(scene.arrivals.most).toBeLessThanOrEqual(2);
  });

  it("sends what fits the time, the states, the types and the present filter", async () => {
    await scene.addEvents(40);
    const filter = { data: { place: { $lte: 30 } } };
    const subscription = await scene.subscribe({ filter });
    await scene.addMessages(subscription, "Delivered", 1);
    const change = (set: string, where: string) =>
      fixture.rows(
        `update integration.webhook_messages set ${set} where subscription_id = $1 and ${where}`,
        decodeId("whs", subscription),
      );
    await change("status = 'Exhausted'", "position > 5");
    await change("event_type = 'LibraryRegistered'", "position between 6 and 10");
    await change("created_at = now() - interval '2 days'", "position between 11 and 15");
    await change("attempts = 100", "position = 16");
    await change("event_id = gen_random_uuid()", "position = 17");
    const { runId } = await scene.replay(subscription, { states: ["Exhausted"], eventTypes: ["TemplateRegistered"] });
    expect((await scene.ended(runId)).result).toMatchObject({ replayed: 13, passedOver: 12, total: 25 });
    await scene.settled();
    expect([...scene.ids].sort()).toEqual(
      upTo(30)
        .slice(17)
        .map((place) => `evt_${place}`)
        .sort(),
    );
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ sequence: expect.any(String), data: {} });
  });

  it("sends no event that names another project, of messages and of the log", async () => {
    await scene.addEvents(9);
    const subscription = await scene.subscribe({ projectId: "orders" });
    await scene.addMessages(subscription, "Exhausted");
    const [tenant, id] = [decodeId("ten", scene.principal.tenantId ?? ""), decodeId("whs", subscription)];
    for (const [project, rest] of Object.entries({ orders: 0, billing: 1 }))
      await fixture.rows(
        `update integration.event_log set envelope = envelope::jsonb || jsonb_build_object('projectid', $2::text)
         where tenant_id = $1 and sequence % 3 = $3`,
        ...[tenant, project, rest],
      );
    await fixture.rows("delete from integration.webhook_messages where subscription_id = $1 and position > 6", id);
    const others = (of: readonly number[]) => of.filter((place) => place % 3 !== 1).map((place) => `evt_${place}`);
    const first = await scene.replay(subscription);
    expect((await scene.ended(first.runId)).result).toMatchObject({ replayed: 4, passedOver: 2, total: 6 });
    await scene.settled();
    expect([...scene.ids].sort()).toEqual(others(upTo(6)));
    const second = await scene.replay(subscription, { includeUnsent: true, states: ["Exhausted"] });
    expect((await scene.ended(second.runId)).result).toMatchObject({ replayed: 2, unsent: 2 });
    await scene.settled();
    expect([...scene.ids].sort()).toEqual(others(upTo(9)));
  });

  it("reads no more messages than the limit to count those of a rare state among many", async () => {
    const subscription = await scene.exhausted(100);
    await fixture.rows(
      "update integration.webhook_messages set status = 'Delivered' where subscription_id = $1 and position < 100",
      decodeId("whs", subscription),
    );
    const database = await Database.open(
      { connections: fixture.connections, ...integrationTables },
      createLogger("test", "silent"),
    );
    const tenant = tenantWithId(scene.principal.tenantId ?? "");
    const [since, until] = [new Date(Date.now() - 86_400_000), new Date()];
    const countWithin = (limit: number) =>
      database.transaction(tenant, { trace: continueTrace(undefined) }, ({ execute }) =>
        execute(
          countSelected,
          countSelected.valuesOf({
            ...{ tenant: tenant.uuid, subscription: decodeId("whs", subscription), position: "0", limit },
            ...{ at: since.toISOString(), until: until.toISOString(), states: ["Exhausted"], types: null },
          }),
        ),
      );
    try {
      expect(await countWithin(50)).toEqual([{ read: 50, selected: 0 }]);
      expect(await countWithin(101)).toEqual([{ read: 100, selected: 1 }]);
    } finally {
      await database.close();
    }
  });

  it("sends events of the log that the subscription never got, with includeUnsent", async () => {
    await scene.addEvents(30);
    const subscription = await scene.subscribe();
    const tenant = decodeId("ten", scene.principal.tenantId ?? "");
    const set = (assignment: string, where: string) =>
      fixture.rows(`update integration.event_log set ${assignment} where tenant_id = $1 and ${where}`, tenant);
    await set("type = 'LibraryRegistered'", "sequence = 1");
    await set("recorded_at = now() - interval '2 days'", "sequence = 2");
    await set(
      `envelope = jsonb_set(envelope::jsonb, '{subject}', to_jsonb('webhook-subscriptions/${subscription}'::text))`,
      "sequence = 3",
    );
    await fixture.bus.publish([anEvent(scene.principal)]);
    await eventually(() => (scene.ids.length === 1 ? true : undefined));
    await scene.settled();
    const { runId } = await scene.replay(subscription, { includeUnsent: true, states: ["Exhausted"] });
    expect((await scene.ended(runId)).result).toMatchObject({ replayed: 27, unsent: 27, passedOver: 0, total: null });
    await scene.settled();
    expect(scene.arrivals).toEqual({ most: 1, different: 28 });
    const again = await scene.replay(subscription, { includeUnsent: true });
    expect((await scene.ended(again.runId)).result).toMatchObject({ replayed: 28, unsent: 0 });
  });

  it("sends no notification that names another webhook subscription, with includeUnsent", async () => {
    await scene.addEvents(4);
    const subscription = await scene.subscribe({ eventType: "NotificationRequested" });
    const other = await scene.subscribe({ eventType: "NotificationRequested" });
    const tenant = decodeId("ten", scene.principal.tenantId ?? "");
    const name = (receiver: string | null, sequence: number) =>
      fixture.rows(
        `update integration.event_log set type = 'NotificationRequested',
           envelope = envelope::jsonb || jsonb_build_object('type', 'NotificationRequested', 'data', $3::jsonb)
         where tenant_id = $1 and sequence = $2`,
        ...[tenant, sequence, JSON.stringify({ subscriptionId: receiver })],
      );
    await name(subscription, 1);
    await name(other, 2);
    await name(null, 3);
    const { runId } = await scene.replay(subscription, { includeUnsent: true });
    expect((await scene.ended(runId)).result).toMatchObject({ replayed: 2, unsent: 2 });
    await scene.settled();
    expect([...scene.ids].sort()).toEqual(["evt_1", "evt_3"]);
  });

  it("begins the schedule of attempts anew for each message", async () => {
    const subscription = await scene.exhausted(1);
    receiver.answer = (_, nth) => ({ status: nth < 4 ? 500 : 204 });
    await scene.ended((await scene.replay(subscription)).runId);
    await scene.settled();
    expect(scene.ids).toEqual(Array(4).fill("evt_1"));
    receiver.answer = () => ({ status: 500 });
    await scene.ended((await scene.replay(subscription)).runId);
    await scene.settled();
    expect(scene.ids).toHaveLength(8);
    expect(await scene.count("status = 'Exhausted' and attempts = 18 and attempts_before = 14")).toBe(1);
  });

  it("lets few webhooks wait for a receiver that hangs, and is cancelled while it does", async () => {
    const subscription = await scene.exhausted(500);
    receiver.answer = () => undefined;
    const { runId } = await scene.replay(subscription);
    // a path that has never answered holds a quarter of its host's places
    await eventually(() => (receiver.waiting >= 4 ? true : undefined));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(receiver.waiting).toBe(4);
    expect(await scene.count("status in ('Pending', 'Delivering')")).toBeLessThanOrEqual(16);
    expect(await scene.cancel(runId)).toMatchObject({ status: "Cancelled", progress: { replayed: 16, total: 500 } });
    expect(await scene.cancel(runId)).toMatchObject({ status: "Cancelled" });
  });

  it("fails when the subscription is paused, and its continuation sends also what the pause has skipped", async () => {
    const subscription = await scene.exhausted(600, { ratePerSecond: 100 });
    receiver.answer = (_, nth) => (nth <= 50 ? { status: 204 } : undefined);
    const { runId } = await scene.replay(subscription);
    await eventually(() => (receiver.waiting >= 16 ? true : undefined));
    await scene.move("pause", subscription);
    expect(await scene.ended(runId)).toMatchObject({ status: "Failed", error: { code: "INVALID_STATE" } });
    receiver.answer = () => ({ status: 204 });
    receiver.answerAll(503);
    await scene.settled();
    const sentCount = await scene.count("status = 'Delivered'");
    const skippedCount = await scene.count("status = 'Skipped'");
    expect(skippedCount).toBeGreaterThan(0);
    await scene.move("resume", subscription);
    const { runId: second } = await scene.replay(subscription, { continueRunId: runId });
    expect(await scene.ended(second)).toMatchObject({ status: "Completed", result: { replayed: 600 - sentCount } });
    await scene.settled();
    expect(await scene.count("status = 'Delivered'")).toBe(600);
    expect(scene.arrivals.different).toBe(600);
  });
});

describe("a replay in a subscription with the ordering fifo", () => {
  const placesOf = (ids: readonly string[], key: number) =>
    ids.flatMap((id) => {
      const place = Number(id.slice("evt_".length));
      return place % 5 === key ? [place] : [];
    });

  it("keeps the order of each key, also when a second run continues it", async () => {
    const subscription = await scene.exhausted(400, { ordering: "fifo" });
    const { runId } = await scene.replay(subscription);
    await untilReplayed(runId, 50);
    await scene.cancel(runId);
    const { runId: second } = await scene.replay(subscription, { continueRunId: runId });
    await scene.ended(second);
    await scene.settled();
    for (const key of [0, 1, 2, 3, 4])
      expect(placesOf(scene.ids, key)).toEqual(upTo(400).filter((place) => place % 5 === key));
  });

  it("holds up no new event of a key whose replayed event fails", async () => {
    const subscription = await scene.exhausted(10, { ordering: "fifo" });
    receiver.answer = ({ headers }) => (headers["webhook-id"] === "evt_1" ? undefined : { status: 204 });
    const { runId } = await scene.replay(subscription);
    await eventually(() => (scene.ids.includes("evt_1") && scene.ids.length === 9 ? true : undefined));
    const fresh = anEvent(scene.principal, { partitionKey: "key 1" });
    await fixture.bus.publish([fresh]);
    await eventually(() => (scene.ids.includes(fresh.id) ? true : undefined));
    expect(scene.ids).not.toContain("evt_6");
    receiver.answer = () => ({ status: 204 });
    receiver.answerAll(204);
    await eventually(() => (scene.ids.includes("evt_6") ? true : undefined));
    expect((await scene.ended(runId)).status).toBe("Completed");
  });
});
