import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { kills } from "@factory/runtime/faults/kills.fixture";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal } from "../../integration.fixture.js";
import { IntegrationProcesses } from "../../integration-processes.fixture.js";
import { WebhookReceiver } from "../webhook-dispatch/webhook-receiver.fixture.js";
import { ReplayScene } from "./replay.fixture.js";

/** Where the process is killed: before a page's commit, and after it. */
const phases = ["paging", "paged"];
const messages = 600;
/** A killed process's claims end after 30 s. */
const takeoverMs = 120_000;

describe("kill -9 while webhooks are replayed, or settled after a pause", () => {
  let subgraph: IntegrationProcesses;
  let receiver: WebhookReceiver;
  let scene: ReplayScene;

  beforeAll(async () => {
    [subgraph, receiver] = await Promise.all([IntegrationProcesses.open(), WebhookReceiver.start()]);
    scene = new ReplayScene(subgraph, receiver, aPrincipal());
    await subgraph.start();
  });
  afterAll(async () => {
    await subgraph.close();
    await receiver.stop();
  });

  const insert = (subscription: string, count: number, columns: string, values: string) =>
    subgraph.rows(
      `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         attempts, envelope, ${columns})
       select tenant_id, gen_random_uuid(), subscription_id, gen_random_uuid(), event_type, place, 10,
         jsonb_build_object('id', 'evt_' || place, 'type', event_type, 'schemaversion', '1.0', 'time', now()), ${values}
       from integration.webhook_subscriptions, generate_series(1, $2::int) place where subscription_id = $1`,
      decodeId("whs", subscription),
      count,
    );

  it("a replay goes on, and makes each webhook due once", async () => {
    const subscription = await scene.subscribe();
    await insert(subscription, messages, "status, finished_at", "'Exhausted', now()");
    const count = Math.max(2, Math.ceil(kills / 2));
    let runId = "";
    for (let kill = 0; kill < count; kill += 1) {
      // an open job may end the process before it is ready
      const alive = await subgraph.startMortal(`webhookReplays.${phases[kill % phases.length]}:kill:2`);
      if (alive && runId === "") ({ runId } = await scene.replay(subscription));
      expect(await subgraph.process.ended).toBeNull();
    }
    await subgraph.start();
    // The killed processes' claims end now, and not after 30 s.
    await subgraph.rows("update integration.webhook_messages set next_attempt_at = now() where status = 'Delivering'");
    expect(await scene.ended(runId, takeoverMs)).toMatchObject({
      status: "Completed",
      result: { replayed: messages, passedOver: 0, total: messages },
    });
    const deliveredCount = () => scene.count("status = 'Delivered' and attempts = 11 and attempts_before = 10");
    await eventually(
      "each webhook is delivered by its first attempt",
      async () => (await deliveredCount()) === messages,
      takeoverMs,
    );
    const { different, most } = scene.arrivals;
    expect(different).toBe(messages);
    expect(most).toBeLessThanOrEqual(1 + count);
  });

  it("all that waits for a paused subscription is skipped", async () => {
    const subscription = await scene.subscribe({ endpointUrl: "http://127.0.0.1:9/hooks" });
    const origin = "'http://127.0.0.1:9'";
    const later = `'RetryScheduled', now() + interval '1 hour', ${origin}`;
    await insert(subscription, 2500, "status, next_attempt_at, origin", later);
    expect(await subgraph.startMortal("webhookMessages.settled:kill:1")).toBe(true);
    await scene.move("pause", subscription).catch(() => undefined);
    expect(await subgraph.process.ended).toBeNull();
    await subgraph.start();
    const id = decodeId("whs", subscription);
    const waiting = () => scene.count(`subscription_id = '${id}' and status <> 'Skipped'`);
    await eventually("nothing waits", async () => (await waiting()) === 0, takeoverMs);
    const statusQuery = "query ($id: ID!) { webhookSubscription(subscriptionId: $id) { status } }";
    expect(await scene.ask(statusQuery, { id: subscription })).toEqual({ status: "Paused" });
  });
});
