import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { anInboundSource, asSpecified, type InboundSource } from "../kit/inbound-sources.js";
import { platform } from "../kit/platform.js";
import { aReceiver, type Received, type Receiver, signatureOf } from "../kit/receiver.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, finished } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { fromGithub, fromSlack, type SentDelivery } from "../kit/vendor-senders.js";

/** The `JSON.parse` reviver that reads each number by its source. */
const keepNumber = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && context?.source !== undefined ? parseForeignJson(context.source) : value;

/** Numbers that JavaScript writes in another way, one inside an object. */
const numbers =
  '[820982911946154508,1e400,-0,1.0,1E5,0.1000000000000000055511151231257827,{"id":820982911946154509,"big":1e200000}]';
const foreign = parseForeignJson(numbers);

/** The answers and webhooks hold the numbers as they were sent. */
function expectKept(text: string): void {
  expect(text.replaceAll(/\s/g, "")).toContain(numbers);
}

let tenant: TestTenant;
let token: string;
let receiver: Receiver;

beforeAll(async () => {
  [tenant, receiver] = await Promise.all([aTenant(), aReceiver()]);
  token = await tenant.tokenWith();
});
afterAll(() => receiver.close());

const unique = () => Math.random().toString(36).slice(2);

interface Subscribed {
  readonly subscriptionId: string;
  readonly secret: string;
}

async function subscribed(eventType: string, more: object = {}): Promise<Subscribed> {
  const { body, status, text } = await request<{ subscriptionId: string; signingSecret: string }>(
    "POST /webhooks/subscriptions",
    { token, body: { eventType, endpointUrl: receiver.url, signingSecretRef: `numbers-${unique()}`, ...more } },
  );
  if (status !== 201) throw new Error(text);
  return { subscriptionId: body.subscriptionId, secret: body.signingSecret };
}

/** The webhook whose body has this text, with a good signature over its bytes. */
async function webhookWith(mark: string, { secret }: Subscribed): Promise<string> {
  const isSigned = (webhook: Received) =>
    String(webhook.headers["webhook-signature"]).split(" ").includes(signatureOf(secret, webhook));
  const markedWebhook = () => receiver.received.find((webhook) => webhook.body.includes(mark) && isSigned(webhook));
  await eventually(`a signed webhook with ${mark}`, () => markedWebhook() !== undefined);
  return markedWebhook()?.body ?? "";
}

/** The answer to one operation over a websocket, as text. */
async function overSocket(query: string, variables: object): Promise<string> {
  const client = createClient({
    url: `${platform().publicUrl.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
    jsonMessageReviver: keepNumber as (name: string, value: unknown) => unknown,
  });
  try {
    return await new Promise((resolve, reject) => {
      client.subscribe(
        { query, variables: variables as Record<string, unknown> },
        { next: (result) => resolve(JSON.stringify(result)), error: reject, complete: () => undefined },
      );
    });
  } finally {
    await client.dispose();
  }
}

describe("a number of a configuration value", () => {
  const putEntry = (key: string, value: string, headers: Record<string, string> = {}) =>
    request(`PUT /v1/config/${key}`, { token, raw: `{"value":${value}}`, headers });

  it("is shown as it was sent: by the change, one entry, the list, the history and a restored version", async () => {
    const set = await putEntry("numbers.shown", numbers);
    expect(set.status).toBe(201);
    expectKept(set.text);
    expectKept((await request("GET /v1/config/numbers.shown", { token })).text);
    expectKept((await request("GET /v1/config?prefix=numbers.shown", { token })).text);
    await putEntry("numbers.shown", "1");
    const history = `{ configEntryHistory(key: "numbers.shown", first: 10) { items { version value } } }`;
    expectKept((await graphql(history, { token })).text);
    const restore = `mutation { restoreConfigEntry(key: "numbers.shown", version: 1) { value } }`;
    expectKept((await graphql(restore, { token })).text);
    expectKept((await request("GET /v1/config/numbers.shown", { token })).text);
  });

  it("is sent on by the event and its webhook as it was sent", async () => {
    const subscription = await subscribed("ConfigurationUpdated");
    await putEntry("numbers.told", numbers);
    expectKept(await webhookWith("config/numbers.told", subscription));
  });

  it("is not changed by a secret that is sealed", async () => {
    const secretEntry = await request("PUT /v1/config/numbers.secret", {
      token,
      raw: `{"value":${numbers},"isSecret":true}`,
    });
    expect([secretEntry.status, secretEntry.text]).toEqual([201, expect.stringContaining("********")]);
  });

  it.each(
    numbers
      .slice(1, -1)
      .split(/,(?!")/)
      .slice(0, 6),
  )("is kept where it is the whole value: %s", async (number) => {
    const key = `numbers.whole-${unique()}`;
    expect((await putEntry(key, number)).text).toContain(`"value":${number},`);
    expect((await request(`GET /v1/config/${key}`, { token })).text).toContain(`"value":${number},`);
  });

  it("counts as a change, also where JavaScript sees the same number", async () => {
    const versions: unknown[] = [];
    for (const value of ["820982911946154508", "820982911946154509", "820982911946154509", "1", "1.0"])
      versions.push((await putEntry("numbers.changed", value)).body["version"]);
    expect(versions).toEqual([1, 2, 2, 3, 4]);
  });

  it("makes another request of a repeated Idempotency-Key, and a repetition has the stored result unchanged", async () => {
    const headers = { "idempotency-key": `numbers-${unique()}` };
    const input = (id: string) => `[${numbers},${id}]`;
    const first = await putEntry("numbers.repeated", input("820982911946154508"), headers);
    const again = await putEntry("numbers.repeated", input("820982911946154508"), headers);
    const other = await putEntry("numbers.repeated", input("820982911946154509"), headers);
    expectKept(first.text);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect(refusal(other)).toBe("422 IDEMPOTENCY_KEY_REUSED");
  });

  it("is kept in variables and in literals, over HTTP and over a websocket", async () => {
    const set = (value: string, key: string) =>
      `mutation { setConfigEntry(key: "${key}", input: { value: ${value} }) { value } }`;
    const literal = numbers.replaceAll('"', "");
    expectKept((await graphql(set(literal, "numbers.literal"), { token })).text);
    expectKept(await overSocket(set(literal, "numbers.socket-literal"), {}));
    const withVariable = (key: string) =>
      `mutation ($value: JSON) { setConfigEntry(key: "${key}", input: { value: $value }) { value } }`;
    const variables = { value: foreign };
    expectKept((await graphql(withVariable("numbers.variable"), { token, variables })).text);
    expectKept(await overSocket(withVariable("numbers.socket"), variables));
  });
});

describe("a number of a notification's data", () => {
  it("is sent on by a webhook as it was sent", async () => {
    const subscription = await subscribed("NotificationRequested");
    const mark = `notification-${unique()}`;
    const notification = await request("POST /v1/notifications", {
      token,
      body: {
        channel: "Webhook",
        recipients: [{ subscriptionId: subscription.subscriptionId }],
        title: mark,
        body: "numbers",
        data: { numbers: foreign },
      },
    });
    expect([notification.status, notification.text]).toEqual([
      notification.status < 300 ? notification.status : 202,
      notification.text,
    ]);
    expectKept(await webhookWith(mark, subscription));
  });
});

describe("a number of our own", () => {
  it("is read as before in each way to write it", async () => {
    const raw = (rate: string) =>
      `{"eventType":"UserInvited","endpointUrl":"${receiver.url}","signingSecretRef":"own-${unique()}","ratePerSecond":${rate}}`;
    const post = (rate: string) => request("POST /webhooks/subscriptions", { token, raw: raw(rate) });
    for (const rate of ["5.0", "5E0", "0.5e1"]) {
      const { status, body, text } = await post(rate);
      expect([rate, status, text]).toEqual([rate, 201, text]);
      const query = `{ webhookSubscription(subscriptionId: "${String(body["subscriptionId"])}") { ratePerSecond } }`;
      const subscriptionAnswer = await graphql<{ webhookSubscription: { ratePerSecond: number } }>(query, { token });
      expect(subscriptionAnswer.body.data.webhookSubscription.ratePerSecond).toBe(5);
    }
    for (const rate of ["1e400", "820982911946154508", "5.50"]) {
      const refusedAnswer = await post(rate);
      expect([rate, refusal(refusedAnswer)]).toEqual([rate, "400 VALIDATION_FAILED"]);
    }
    const list = "query ($first: Int) { configEntries(first: $first) { items { key } } }";
    const page = await graphql(list, { token, variables: { first: parseForeignJson("1.0") } });
    expect(page.body.errors).toBeUndefined();
    const tooMany = await graphql(list, { token, variables: { first: parseForeignJson("1e400") } });
    expect(tooMany.body.errors?.[0]?.extensions.code).toBe("VALIDATION_FAILED");
  });

  it("is no object: neither for REST nor for GraphQL", async () => {
    const connection = {
      providerId: "prv_x",
      displayName: "x",
      authMode: "ApiKey",
      configuration: parseForeignJson("1.0"),
    };
    const refusedAnswer = await request("POST /integrations/connections", { token, body: connection });
    expect(refusedFields(refusedAnswer)).toContainEqual(expect.stringContaining("/configuration"));
    for (const body of ["1.0", "1e400", "[1.0]"])
      expect((await request("POST /v1/templates", { token, raw: body })).status).toBe(400);
    const parameters = parseForeignJson("1e400");
    const preview = await graphql(
      'query ($parameters: JSONObject) { previewExecution(templateId: "tpl_x", input: { templateVersionId: "tpv_x", target: { repository: "a/b" }, parameters: $parameters }) { truncated } }',
      { token, variables: { parameters } },
    );
    expect(preview.body.errors?.[0]?.message).toMatch(/object/);
  });

  it("is a number in a setting of the platform", async () => {
    const set = await request("PUT /v1/config/retention.webhookDays", { token, raw: '{"value":14.0}' });
    expect([set.text, set.body["value"]]).toEqual([expect.anything(), 14]);
    for (const value of ["1e400", "14.00000000000000000001"]) {
      const refusedAnswer = await request("PUT /v1/config/retention.webhookDays", { token, raw: `{"value":${value}}` });
      const error = { pointer: "/value", code: "OUT_OF_RANGE" };
      expect(refusedAnswer.body).toMatchObject({ code: "CONFIGURATION_INVALID", errors: [error] });
    }
  });
});

describe("a number of a vendor's delivery", () => {
  let github: InboundSource;
  beforeAll(async () => {
    github = await anInboundSource(token, { preset: "github" });
  });

  const deliver = async (deliveryUrl: string, delivery: SentDelivery) => {
    const { pathname, search } = new URL(deliveryUrl);
    const answer = await request<{ deliveryId: string }>(`POST ${pathname}${search}`, delivery);
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body.deliveryId;
  };

  it("is kept to the webhook, the pull, the replay, the payload and the websocket", async () => {
    const subscription = await subscribed("CommitsPushed");
    const stream = overSocket('subscription { events(types: ["CommitsPushed"], after: "0") { data } }', {});
    const mark = `push-${unique()}`;
    const payload = { ref: "refs/heads/main", after: "a".repeat(40), mark, numbers: foreign };
    const deliveryId = await deliver(github.deliveryUrl, fromGithub(github.secret, mark, "push", payload));
    expectKept(await webhookWith(mark, subscription));
    expectKept(await stream);
    const eventPage = await request(`GET /webhooks/subscriptions/${subscription.subscriptionId}/events`, { token });
    expectKept(eventPage.text);
    const storedDelivery = await graphql(`{ webhookDelivery(deliveryId: "${deliveryId}") { payload } }`, { token });
    expectKept(storedDelivery.text);
    const before = receiver.received.filter(({ body }) => body.includes(mark)).length;
    const replay = await graphql(
      `mutation { replayWebhookMessages(subscriptionId: "${subscription.subscriptionId}", input: { since: "${new Date(Date.now() - 600_000).toISOString()}", until: "${new Date(Date.now() + 1000).toISOString()}", states: [Delivered] }) { runId } }`,
      { token },
    );
    expect(replay.body.errors).toBeUndefined();
    await eventually(
      "the replayed webhook",
      () => receiver.received.filter(({ body }) => body.includes(mark)).length > before,
    );
    const texts = receiver.received.filter(({ body }) => body.includes(mark)).map(({ body }) => body);
    for (const text of texts) expectKept(text);
  });

  it("is kept where the body is a field of a form, and where it has white space", async () => {
    const subscription = await subscribed("VendorEventReceived");
    const slack = await anInboundSource(token, { preset: "slack" });
    const mark = `form-${unique()}`;
    const payload = `{ "type": "odd_event", "mark": "${mark}",\n\t"numbers": ${numbers.replaceAll(",", " ,\n")} }`;
    const raw = new URLSearchParams({ payload }).toString();
    await deliver(slack.deliveryUrl, fromSlack(slack.secret, raw, "application/x-www-form-urlencoded"));
    expectKept(await webhookWith(mark, subscription));
  });

  it("is kept on the path of the specification", async () => {
    const subscription = await subscribed("VendorEventReceived");
    const source = await anInboundSource(token);
    const mark = `specified-${unique()}`;
    const delivery = asSpecified(source, {
      providerDeliveryId: mark,
      eventName: "odd",
      payload: { mark, numbers: foreign },
    });
    expect((await request("POST /webhooks/deliveries", delivery)).status).toBe(202);
    expectKept(await webhookWith(mark, subscription));
  });

  it("names the delivery by all of its digits where it is the id", async () => {
    const source = await anInboundSource(token);
    const deliver = (id: string) =>
      request<{ deliveryId: string }>(
        "POST /webhooks/deliveries",
        asSpecified(
          source,
          parseForeignJson(`{"providerDeliveryId":"${id}","eventName":"odd","payload":{"id":${id}}}`),
        ),
      );
    const [firstDelivery, other] = [await deliver("820982911946154508"), await deliver("820982911946154509")];
    expect(firstDelivery.body.deliveryId).not.toBe(other.body.deliveryId);
  });

  it("is compared by all of its digits in the filter of a subscription, which is shown as it was sent", async () => {
    const filter = (id: string) => parseForeignJson(`{"data":{"payload":{"order":${id}}}}`);
    const matching = await subscribed("CommitsPushed", { filter: filter("820982911946154508") });
    const filterAnswer = await graphql(
      `{ webhookSubscription(subscriptionId: "${matching.subscriptionId}") { filter } }`,
      {
        token,
      },
    );
    expect(filterAnswer.text).toContain('{"order":820982911946154508}');
    const push = (order: string, mark: string) =>
      deliver(
        github.deliveryUrl,
        fromGithub(github.secret, mark, "push", { ref: "refs/heads/main", mark, order: parseForeignJson(order) }),
      );
    const [other, matchingMark] = [`other-${unique()}`, `same-${unique()}`];
    await push("820982911946154509", other);
    await push("820982911946154508", matchingMark);
    const pull = async () =>
      (await request(`GET /webhooks/subscriptions/${matching.subscriptionId}/events`, { token })).text;
    await eventually("the event that matches", async () => (await pull()).includes(matchingMark));
    expect(await pull()).not.toContain(other);
    const change = `mutation ($filter: JSONObject) { updateWebhookSubscription(subscriptionId: "${matching.subscriptionId}", input: { filter: $filter }) { filter } }`;
    const filterChange = await graphql(change, { token, variables: { filter: filter("1e400") } });
    expect(filterChange.text).toContain('{"order":1e400}');
    const removal = await graphql(change, { token, variables: { filter: null } });
    expect(removal.text).toContain('"filter":null');
  });
});

describe("a number of parameters", () => {
  const templateJson = {
    ...{ identity: "Numbers", name: "Numbers", shortName: "numbers", sourceName: "App1" },
    symbols: {
      Id: { type: "parameter", datatype: "text", replaces: "__ID__" },
      Count: { type: "parameter", datatype: "integer", replaces: "__COUNT__" },
      Ratio: { type: "parameter", datatype: "text", replaces: "__RATIO__", defaultValue: "none" },
    },
  };
  const schema = `{"type":"object","properties":{"Id":{"type":"number"},"Count":{"type":"integer","maximum":1E6},"Ratio":{"type":"number","default":1.50,"maximum":1e400}}}`;

  it("is kept by the parameterSchema, its event, the execution and the rendered file", async () => {
    const subscription = await subscribed("TemplateParameterSchemaDefined");
    const sourceRef = await aTemplateSource({
      ".template.config/template.json": JSON.stringify(templateJson),
      "numbers.txt": "__ID__ __COUNT__ __RATIO__\n",
    });
    const version = await aTemplateVersion(token, sourceRef, { parameterSchema: parseForeignJson(schema) });
    const schemaAnswer = await graphql(
      `{ template(templateId: "${version.templateId}") { allVersions { parameterSchema } } }`,
      {
        token,
      },
    );
    expect(schemaAnswer.text).toContain(schema);
    expect(await webhookWith(version.templateVersionId, subscription)).toContain(schema);
    const parameters = '{"Id":820982911946154508,"Count":1E5}';
    const target = `"target":{"repository":"numbers/${unique()}"}`;
    const execute = (parameterText: string) =>
      request<{ executionId: string }>(`POST /v1/templates/${version.templateId}/execute`, {
        token,
        raw: `{"templateVersionId":"${version.templateVersionId}",${target},"parameters":${parameterText}}`,
      });
    const acceptance = await execute(parameters);
    expect([acceptance.status, acceptance.text]).toEqual([202, expect.anything()]);
    const { executionId } = acceptance.body;
    const execution = await finished(token, version.templateId, executionId);
    expect(execution).toMatchObject({ status: "Completed", error: null });
    const [storedExecution] = await rows<{ parameters: string }>(
      "select parameters::text as parameters from catalog.executions where execution_id = $1",
      [decodeId("exe", executionId)],
    );
    expect(storedExecution?.parameters).toBe('{"Id":820982911946154508,"Count":1E5,"Ratio":1.50}');
    const renderedText = "820982911946154508 100000 1.50";
    const fileList = await graphql<{ scaffoldFiles: { items: { path: string; size: number }[] } }>(
      `{ scaffoldFiles(scaffoldOutputId: "${execution.scaffoldOutputId}", first: 10) { items { path size } } }`,
      { token },
    );
    expect(fileList.body.data.scaffoldFiles.items).toContainEqual({
      path: "numbers.txt",
      size: renderedText.length + 1,
    });
    const query = `query ($parameters: JSONObject) { previewExecution(templateId: "${version.templateId}", input: {
      templateVersionId: "${version.templateVersionId}", target: { repository: "numbers/${unique()}" },
      parameters: $parameters }) { files { path diff } error { code message } } }`;
    const variables = { parameters: parseForeignJson(parameters) };
    expect((await graphql(query, { token, variables })).text).toContain(renderedText);
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    expect((await request(`GET /graphql?${search.toString()}`, { token })).text).toContain(renderedText);
    expect(await overSocket(query, variables)).toContain(renderedText);
    const tooLarge = await execute('{"Id":1,"Count":1e400}');
    expect(refusal(tooLarge)).toBe("422 PARAMETERS_INVALID");
  });
});
