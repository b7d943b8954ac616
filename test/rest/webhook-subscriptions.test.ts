import { randomBytes } from "node:crypto";
import { eventually } from "../kit/eventually.js";
import { aReceiver } from "../kit/receiver.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";
import { anHourAgo } from "../kit/times.js";

const unique = (name: string) => `${name}-${randomBytes(6).toString("hex")}`;

let token: string;
beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

const ask = (line: string, body?: unknown, headers: Record<string, string> = {}) =>
  request<Body>(line, { token, headers, ...(body === undefined ? {} : { body }) });

async function aSubscription(changes: Record<string, unknown> = {}): Promise<string> {
  const body = { eventType: "TemplateRegistered", endpointUrl: "http://127.0.0.1:9/hooks", signingSecretRef: "hooks" };
  const answer = await ask("POST /webhooks/subscriptions", { ...body, ...changes });
  if (answer.status !== 201) throw new Error(answer.text);
  return `/webhooks/subscriptions/${answer.body.subscriptionId}`;
}

describe("/webhooks/subscriptions/{subscriptionId}", () => {
  it("is changed by PATCH with the ETag of the read, and deleted", async () => {
    const path = await aSubscription();
    const subscription = await ask(`GET ${path}`);
    const etag = subscription.headers.get("etag") ?? "";
    expect((await ask(`GET ${path}`, undefined, { "if-none-match": etag })).status).toBe(304);
    const change = await ask(`PATCH ${path}`, { contentType: "application/cloudevents+json" }, { "if-match": etag });
    expect([change.status, change.headers.get("etag")]).toEqual([200, '"2"']);
    expect(change.body).toEqual({
      ...subscription.body,
      contentType: "application/cloudevents+json",
      signingSecret: null,
      version: 2,
    });
    expect(refusal(await ask(`PATCH ${path}`, { active: false }, { "if-match": etag }))).toBe(
      "412 PRECONDITION_FAILED",
    );
    expect(refusal(await ask(`DELETE ${path}`, undefined, { "if-match": etag }))).toBe("412 PRECONDITION_FAILED");
    expect((await ask(`PATCH ${path}`, { active: false })).body).toMatchObject({ status: "Paused" });
    expect((await ask(`POST ${path}/resume`)).body).toMatchObject({ status: "Active" });
    expect((await ask(`POST ${path}/pause`)).body).toMatchObject({ status: "Paused" });
    expect(refusal(await ask(`POST ${path}/pause`))).toBe("409 INVALID_STATE");
    const deletion = await ask(`DELETE ${path}`);
    expect([deletion.status, deletion.text]).toEqual([204, ""]);
    for (const line of [`GET ${path}`, `DELETE ${path}`, `POST ${path}/resume`, `GET ${path}/messages`])
      expect(refusal(await ask(line))).toBe("404 WEBHOOK_SUBSCRIPTION_NOT_FOUND");
  });

  it("refuses a PATCH with a wrong value", async () => {
    const path = await aSubscription();
    const refusedAnswer = await ask(`PATCH ${path}`, { endpointUrl: "http://169.254.169.254/latest" });
    expect([refusal(refusedAnswer), refusedFields(refusedAnswer)]).toEqual([
      "422 TARGET_BLOCKED",
      ["/endpointUrl TARGET_BLOCKED"],
    ]);
    expect(refusal(await ask(`PATCH ${path}`, { active: "yes" }))).toBe("400 VALIDATION_FAILED");
    expect(refusal(await ask(`PATCH ${path}`, { contentType: "text/xml" }))).toBe("422 PARAMETERS_INVALID");
  });

  it("shows what was sent, sends it again, and counts it", async () => {
    const receiver = await aReceiver();
    const path = await aSubscription({ endpointUrl: receiver.url });
    await ask("POST /v1/templates", { name: unique("logged") });
    const messages = async () => (await ask(`GET ${path}/messages?status=Delivered`)).body.items;
    await eventually("the message is delivered", async () => (await messages()).length === 1);
    const [{ messageId }] = await messages();
    expect((await ask(`GET /webhooks/messages/${messageId}`)).body.body).toEqual(
      JSON.parse(receiver.received[0]?.body ?? ""),
    );
    const resent = await ask(`POST /webhooks/messages/${messageId}/resend`);
    expect([resent.status, resent.headers.get("location")]).toEqual([202, `/webhooks/messages/${messageId}`]);
    const attempts = async () => (await ask(`GET ${path}/attempts?limit=10`)).body.items;
    await eventually("the second attempt is stored", async () => (await attempts()).length === 2);
    const ofMessage = (await ask(`GET /webhooks/messages/${messageId}/attempts?limit=1`)).body;
    expect(ofMessage.items).toEqual([expect.objectContaining({ number: 2, outcome: "Succeeded" })]);
    expect(ofMessage.nextCursor).toEqual(expect.any(String));
    expect((await ask(`GET ${path}/statistics?hours=1`)).body).toMatchObject({
      attempts: 2,
      failed: 0,
      complete: true,
    });
    await receiver.close();
  });
});

describe("/webhooks/subscriptions/{subscriptionId}/events", () => {
  it("gives events page by page, with a link while there are more", async () => {
    const startTime = new Date().toISOString();
    const path = await aSubscription({ active: false });
    const names = [unique("one"), unique("two")];
    for (const name of names) await ask("POST /v1/templates", { name });
    const since = async () => {
      const { items } = (await ask(`GET ${path}/events?limit=200`)).body;
      return items.filter(({ time }: Body) => time >= startTime);
    };
    await eventually("both events are in the log", async () => (await since()).length === 2);
    const [first, second] = await since();
    expect(first).toMatchObject({ type: "TemplateRegistered", timestamp: first.time });
    const page = await ask(`GET ${path}/events?limit=1`);
    expect([page.status, page.body.hasMore, page.body.items.length]).toEqual([200, true, 1]);
    expect(page.headers.get("link")).toContain(`cursor=${page.body.nextCursor}`);
    const last = await ask(`GET ${path}/events?cursor=${(await ask(`GET ${path}/events?limit=200`)).body.nextCursor}`);
    expect(last.body.items).toEqual([]);
    expect(Number(second.sequence)).toBeGreaterThan(Number(first.sequence));
    expect(refusal(await ask(`GET ${path}/events?cursor=0`))).toBe("400 INVALID_CURSOR");
  });
});

describe("POST /webhooks/subscriptions/{subscriptionId}/examples", () => {
  it("sends an example of the wanted type", async () => {
    const receiver = await aReceiver();
    const path = await aSubscription({ endpointUrl: receiver.url });
    const exampleAnswer = await ask(`POST ${path}/examples`, { eventType: "RunFailed" });
    const place = `/webhooks/messages/${exampleAnswer.body.messageId}`;
    expect([exampleAnswer.status, exampleAnswer.headers.get("location"), exampleAnswer.body.status]).toEqual([
      202,
      place,
      "Pending",
    ]);
    await eventually("the example arrives", () => receiver.received.length === 1);
    const body = JSON.parse(receiver.received[0]?.body ?? "");
    expect(body).toMatchObject({ type: "RunFailed", test: true });
    expect((await ask(`GET ${place}`)).body.body).toEqual(body);
    expect(refusal(await ask(`POST ${path}/examples`, { eventType: "Nothing" }))).toBe("422 EVENT_TYPE_UNKNOWN");
    await receiver.close();
  });
});

describe("POST /webhooks/subscriptions/{subscriptionId}/replay", () => {
  it("starts a run that sends again what was sent, with its progress", async () => {
    const receiver = await aReceiver();
    const path = await aSubscription({ endpointUrl: receiver.url });
    await ask("POST /v1/templates", { name: unique("replayed") });
    const isDelivered = async () => (await ask(`GET ${path}/messages?status=Delivered`)).body.items.length === 1;
    await eventually("the message is delivered", isDelivered);
    const replayAnswer = await ask(`POST ${path}/replay`, { since: anHourAgo(), states: ["Delivered"] });
    expect([replayAnswer.status, replayAnswer.body.operation]).toEqual([202, "ReplayDeliveries"]);
    const run = `GET ${replayAnswer.headers.get("location")}`;
    await eventually("the run ends", async () => (await ask(run)).body.status === "Completed");
    expect((await ask(run)).body).toMatchObject({ progress: { replayed: 1, total: 1 }, result: { replayed: 1 } });
    await eventually("the webhook comes again", () => receiver.received.length === 2);
    const [first, second] = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(second).toBe(first);
    await receiver.close();
  });

  it("refuses a selection that cannot be, with a pointer", async () => {
    const path = await aSubscription();
    const early = await ask(`POST ${path}/replay`, { since: "2020-01-01T00:00:00Z" });
    expect([refusal(early), refusedFields(early)]).toEqual(["422 PARAMETERS_INVALID", ["/since OUT_OF_RANGE"]]);
    const unknown = await ask(`POST ${path}/replay`, { since: anHourAgo(), states: ["Lost"] });
    expect([refusal(unknown), refusedFields(unknown)]).toEqual(["422 PARAMETERS_INVALID", ["/states/0 UNKNOWN_VALUE"]]);
    await ask(`POST ${path}/pause`);
    expect(refusal(await ask(`POST ${path}/replay`, { since: anHourAgo() }))).toBe("409 INVALID_STATE");
  });
});

describe("GET /webhooks/subscriptions", () => {
  it("lists pages that match the filters", async () => {
    token = await (await aTenant()).tokenWith();
    const paths = [await aSubscription(), await aSubscription({ eventType: "LibraryRegistered", active: false })];
    const ids = paths.map((path) => path.split("/").at(-1));
    const list = async (query: string) => {
      const { body } = await ask(`GET /webhooks/subscriptions${query}`);
      return body.items.map(({ subscriptionId }: Body) => subscriptionId);
    };
    expect(await list("")).toEqual([...ids].reverse());
    expect(await list("?sort=createdAt")).toEqual(ids);
    expect(await list("?status=Paused")).toEqual([ids[1]]);
    expect(await list("?eventType=TemplateRegistered&direction=Outbound")).toEqual([ids[0]]);
    const first = await ask("GET /webhooks/subscriptions?limit=1");
    expect(first.headers.get("link")).toContain('rel="next"');
    expect(await list(`?limit=1&cursor=${first.body.nextCursor}`)).toEqual([ids[0]]);
    expect(refusal(await ask("GET /webhooks/subscriptions?status=Sleeping"))).toBe("422 PARAMETERS_INVALID");
  });
});
