import { newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { WebhookReceiver } from "../webhook-dispatch/webhook-receiver.fixture.js";
import { ReplayScene } from "./replay.fixture.js";

let fixture: IntegrationFixture;
let receiver: WebhookReceiver;
let scene: ReplayScene;

beforeAll(async () => {
  fixture = await startIntegrationFixture();
  receiver = await WebhookReceiver.start();
});

beforeEach(() => {
  receiver.answer = () => ({ status: 204 });
  scene = new ReplayScene(fixture, receiver, aPrincipal());
});

afterAll(async () => {
  await receiver.stop();
  await fixture.close();
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const pointers = ({ refused }: { refused: { code: string; errors?: { pointer: string; code: string }[] } }) => [
  refused.code,
  ...(refused.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`),
];

describe("a replay is refused", () => {
  it("for a selection that cannot be", async () => {
    const id = await scene.subscribe();
    const refusals = async (input: object) => pointers(await scene.replay(id, input));
    expect(await refusals({ since: null })).toEqual(["VALIDATION_FAILED", "/input/since REQUIRED"]);
    expect(await refusals({ since: "yesterday" })).toEqual(["VALIDATION_FAILED", "/input/since FORMAT"]);
    const early = ["PARAMETERS_INVALID", "/input/since OUT_OF_RANGE"];
    expect(await refusals({ since: daysAgo(31) })).toEqual(early);
    expect(await refusals({ since: daysAgo(8), includeUnsent: true })).toEqual(early);
    expect(await refusals({ since: daysAgo(-1) })).toEqual(early);
    expect(await refusals({ since: daysAgo(1), until: daysAgo(2) })).toEqual([
      "PARAMETERS_INVALID",
      "/input/until OUT_OF_RANGE",
    ]);
    expect(await refusals({ states: ["Exhausted", "Pending"] })).toEqual([
      "PARAMETERS_INVALID",
      "/input/states/1 UNKNOWN_VALUE",
    ]);
    expect(await refusals({ eventTypes: ["NothingHappened"] })).toEqual([
      "EVENT_TYPE_UNKNOWN",
      "/input/eventTypes/0 UNKNOWN_VALUE",
    ]);
    expect((await scene.replay(id, { since: daysAgo(30) })).status).toBe("Queued");
  });

  it("for a subscription that does not exist, that another tenant has, or that is not Active", async () => {
    const id = await scene.subscribe();
    const stranger = new ReplayScene(fixture, receiver, aPrincipal());
    for (const answer of [await stranger.replay(id), await scene.replay(newId("whs")), await scene.replay("x")])
      expect(answer.refused.code).toBe("WEBHOOK_SUBSCRIPTION_NOT_FOUND");
    await scene.move("pause", id);
    expect((await scene.replay(id)).refused).toMatchObject({ code: "INVALID_STATE", currentState: "Paused" });
    await scene.move("delete", id);
    expect((await scene.replay(id)).refused.code).toBe("WEBHOOK_SUBSCRIPTION_NOT_FOUND");
  });

  it("for messages of a former type of the subscription that the caller may not read", async () => {
    const id = await scene.exhausted(3, { eventType: "LibraryRegistered" });
    const { tenantId = "" } = scene.principal;
    const scopes = ["webhooks.subscriptions.write", "integration.runs.read", "libraries.read"] as const;
    const narrow = new ReplayScene(fixture, receiver, aPrincipal({ tenantId, scopes }));
    expect((await narrow.replay(id, { eventTypes: ["TemplateRegistered"] })).refused).toMatchObject({
      ...{ code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] },
    });
    const { runId } = await narrow.replay(id);
    expect(await narrow.ended(runId)).toMatchObject({ status: "Completed", result: { replayed: 0 } });
    const whole = await scene.replay(id);
    expect(await scene.ended(whole.runId)).toMatchObject({ status: "Completed", result: { replayed: 3 } });
  });

  it("while one of the subscription or three of the tenant have not ended", async () => {
    receiver.answer = () => undefined;
    await scene.addEvents(40);
    const ids = [await scene.subscribe(), await scene.subscribe(), await scene.subscribe(), await scene.subscribe()];
    for (const id of ids) await scene.addMessages(id, "Exhausted");
    const [first, ...others] = ids;
    const { runId } = await scene.replay(first ?? "");
    expect((await scene.replay(first ?? "")).refused).toMatchObject({ code: "CONFLICT", runId });
    const replays = await Promise.all(others.map((id) => scene.replay(id)));
    expect(replays.filter(({ refused }) => refused?.code === "RATE_LIMITED")).toHaveLength(1);
    for (const run of [{ runId }, ...replays]) if (run.runId) await scene.cancel(run.runId);
    expect((await scene.replay(first ?? "")).status).toBe("Queued");
  });

  it("as a continuation of another subscription's replay, of a completed one, or of one that was continued", async () => {
    receiver.answer = () => undefined;
    const id = await scene.exhausted(40);
    const other = await scene.subscribe();
    const { runId } = await scene.replay(id);
    const goOn = (subscription: string, run = runId, more = {}) =>
      scene.replay(subscription, { continueRunId: run, ...more });
    expect((await goOn(id)).refused).toMatchObject({ code: "INVALID_STATE" });
    await scene.cancel(runId);
    expect(pointers(await goOn(other))).toEqual(["REFERENCE_NOT_FOUND", "/input/continueRunId REFERENCE_NOT_FOUND"]);
    expect(pointers(await goOn(id, newId("run")))[0]).toBe("REFERENCE_NOT_FOUND");
    expect(pointers(await goOn(id, runId, { since: daysAgo(1), includeUnsent: false }))).toEqual([
      "VALIDATION_FAILED",
      "/input/since FORMAT",
      "/input/includeUnsent FORMAT",
    ]);
    const second = await goOn(id);
    expect((await goOn(id)).refused).toMatchObject({ code: "CONFLICT", runId: second.runId });
    receiver.answer = () => ({ status: 204 });
    receiver.answerAll(204);
    expect((await scene.ended(second.runId)).status).toBe("Completed");
    expect((await goOn(id, second.runId)).refused).toMatchObject({ code: "INVALID_STATE", currentState: "Completed" });
    await eventually(async () => ((await scene.count("status = 'Delivered'")) === 40 ? true : undefined));
  });
});
