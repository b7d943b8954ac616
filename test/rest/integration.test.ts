import { eventually } from "../kit/eventually.js";
import { aReceiver, signatureOf } from "../kit/receiver.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

const vendorType = "application/vnd.service.integration.v1+json";

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;
const post = <T = Record<string, unknown>>(path: string, body: unknown, headers: Record<string, string> = {}) =>
  request<T>(`POST ${path}`, { token, body, headers });

const aProvider = (changes: Record<string, unknown> = {}) => ({
  key: unique("vendor"),
  displayName: "A vendor",
  category: "Payment",
  authModel: "OAuth2",
  apiClient: "http-json",
  capabilities: ["payment.charge", "payment.refund"],
  baseUrl: "https://api.example.com",
  ...changes,
});

describe("POST /integrations/providers", () => {
  it("returns the documented members", async () => {
    const { status, body, headers } = await post("/integrations/providers", aProvider());
    expect(status).toBe(201);
    expect(body).toEqual({
      providerId: expect.stringMatching(/^prv_/),
      status: "Registered",
      apiClientId: expect.stringMatching(/^apc_/),
      registeredAt: expect.stringMatching(/Z$/),
    });
    expect(headers.get("location")).toBe(`/integrations/providers/${String(body["providerId"])}`);
  });

  it("shows the provider at its Location, but not to another tenant", async () => {
    const provider = aProvider();
    const { body, headers } = await post("/integrations/providers", provider);
    const place = `GET ${headers.get("location")}`;
    const providerAnswer = await request(place, { token, headers: { accept: vendorType } });
    expect(providerAnswer.headers.get("content-type")).toBe(vendorType);
    expect(providerAnswer.body).toEqual({
      ...provider,
      ...body,
      redirectUri: null,
      statusReason: null,
      preset: null,
      driver: {},
    });
    const stranger = await (await aTenant()).tokenWith();
    expect(refusal(await request(place, { token: stranger }))).toBe("404 PROVIDER_NOT_FOUND");
  });

  it("accepts a key once", async () => {
    const provider = aProvider();
    await post("/integrations/providers", provider);
    expect(refusal(await post("/integrations/providers", provider))).toBe("409 PROVIDER_KEY_TAKEN");
  });

  it("names every value that is not an allowed value", async () => {
    const answer = await post("/integrations/providers", aProvider({ category: "Magic", authModel: "Handshake" }));
    expect([refusal(answer), refusedFields(answer)]).toEqual([
      "422 PARAMETERS_INVALID",
      ["/authModel UNKNOWN_VALUE", "/category UNKNOWN_VALUE"],
    ]);
  });

  it.each([
    "http://169.254.169.254/latest",
    "https://user:secret@example.com",
    "http://[::ffff:10.0.0.1]/",
    "https://0x7f.1.1.1@10.0.0.1/",
    "ftp://example.com",
  ])("refuses the base URL %s", async (baseUrl) => {
    const answer = await post("/integrations/providers", aProvider({ baseUrl }));
    expect([refusal(answer), refusedFields(answer)]).toEqual(["422 TARGET_BLOCKED", ["/baseUrl TARGET_BLOCKED"]]);
  });
});

describe("the media type of the integration endpoints", () => {
  const accepting = (accept: string) => post("/integrations/providers", aProvider(), { accept });

  it.each([
    ["*/*", "application/json; charset=utf-8"],
    ["application/json", "application/json; charset=utf-8"],
    [vendorType, vendorType],
    [`text/html, ${vendorType};q=0.9, application/json;q=0.5`, vendorType],
    [`application/json, ${vendorType};q=0.1`, "application/json; charset=utf-8"],
  ])("for Accept %s is %s", async (accept, contentType) => {
    const answer = await accepting(accept);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, contentType]);
    expect(answer.headers.get("vary")).toContain("Accept");
  });

  it.each(["application/vnd.service.integration.v2+json", "text/html", "application/xml;q=1", "application/json;q=0"])(
    "is not accepted in Accept %s",
    async (accept) => {
      const answer = await accepting(accept);
      expect(refusal(answer)).toBe("406 NOT_ACCEPTABLE");
      expect(answer.body).toMatchObject({ supported: expect.arrayContaining([vendorType]) });
    },
  );

  it("may be used for the body", async () => {
    const headers = { "content-type": vendorType };
    expect((await post("/integrations/providers", aProvider(), headers)).status).toBe(201);
    expect(refusal(await post("/v1/templates", { name: "x" }, headers))).toBe("415 UNSUPPORTED_MEDIA_TYPE");
  });
});

describe("POST /integrations/connections", () => {
  it("takes the values that the specification shows, and answers and is read with its members", async () => {
    const provider = aProvider({ category: "Communication", authModel: "ApiKey", capabilities: ["email.send"] });
    const { providerId } = (await post("/integrations/providers", provider)).body;
    const credentialRef = `secret://${unique("stored")}`;
    const input = {
      ...{ tenantId: tenant.tenantId, projectId: "project-1", providerId, displayName: "Mail" },
      ...{ authMode: "OAuth2ClientCredentials", credentialRef, configuration: { region: "eu" } },
    };
    const connectionAnswer = await post("/integrations/connections", input);
    const connectionId = String(connectionAnswer.body["connectionId"]);
    expect([connectionAnswer.status, connectionAnswer.headers.get("location")]).toEqual([
      201,
      `/integrations/connections/${connectionId}`,
    ]);
    expect(connectionAnswer.body).toMatchObject({
      connectionId: expect.stringMatching(/^con_/),
      ...{ status: "Active", providerId, health: "Healthy" },
      establishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      traceId: connectionAnswer.headers.get("x-trace-id"),
    });
    const connection = await request<Record<string, unknown>>(`GET /integrations/connections/${connectionId}`, {
      token,
    });
    expect(connection.body).toMatchObject({ connectionId, tenantId: tenant.tenantId, providerId, credentialRef });
    const visibleMembers = [
      "connectionId",
      "tenantId",
      "providerId",
      "status",
      "health",
      "lastCheckedAt",
      "credentialRef",
    ];
    expect(Object.keys(connection.body)).toEqual(expect.arrayContaining([...visibleMembers, "lastRunId"]));
  });

  it("says that it has waited, and takes the tenant of the caller only", async () => {
    const probedProvider = { ...aProvider(), baseUrl: "https://api.vendor.example", preset: "github" };
    const { body: provider } = await post("/integrations/providers", probedProvider);
    const input = { providerId: provider["providerId"], displayName: "Mail", authMode: "ApiKey" };
    const connectionAnswer = await post("/integrations/connections", input, { prefer: "wait=5" });
    expect([connectionAnswer.status, connectionAnswer.headers.get("preference-applied")]).toEqual([201, "wait=5"]);
    expect(connectionAnswer.body).toMatchObject({ status: "Active", health: "Unknown", lastCheckedAt: null });
    const path = `PATCH /integrations/connections/${String(connectionAnswer.body["connectionId"])}`;
    const change = (tenantId: string) => request(path, { token, body: { displayName: "Post", tenantId } });
    expect(refusal(await change("ten_01jd1hfw9tfqw8kz1mxps2a3ac"))).toBe("403 TENANT_MISMATCH");
    expect((await change(tenant.tenantId)).status).toBe(200);
  });
});

describe("POST /integrations/credentials", () => {
  it("returns a reference and never the secret", async () => {
    const name = unique("key");
    const secret = { apiKey: "do-not-show-this" };
    const { status, body, text } = await post("/integrations/credentials", { name, kind: "ApiKey", secret });
    expect(status).toBe(201);
    expect(body).toEqual({
      credentialId: expect.stringMatching(/^crd_/),
      name,
      credentialRef: `secret://${name}`,
      currentVersionRef: `secret://${name}#v1`,
      status: "Active",
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(text).not.toContain("do-not-show-this");
  });

  it("accepts a name once", async () => {
    const credential = { name: unique("key"), secret: { apiKey: "b" } };
    await post("/integrations/credentials", credential);
    expect(refusal(await post("/integrations/credentials", credential))).toBe("409 CONFLICT");
  });

  it.each([
    [{ kind: "Retina" }, "422 PARAMETERS_INVALID", "/kind UNKNOWN_VALUE"],
    [{ secret: {} }, "400 VALIDATION_FAILED", "/secret TOO_SHORT"],
    [{ kind: "WebhookSigning" }, "400 VALIDATION_FAILED", "/secret/signingSecret FORMAT"],
    [{ secret: { a: "x".repeat(65 * 1024) } }, "400 VALIDATION_FAILED", "/secret TOO_LONG"],
  ])("refuses %j", async (changes, expectedCode, field) => {
    const answer = await post("/integrations/credentials", { name: unique("key"), secret: { a: "b" }, ...changes });
    expect([refusal(answer), refusedFields(answer)]).toEqual([expectedCode, [field]]);
  });
});

describe("POST /webhooks/subscriptions", () => {
  const aSubscription = (changes: Record<string, unknown> = {}) => ({
    eventType: "TemplateRegistered",
    endpointUrl: "http://127.0.0.1:9/hooks",
    signingSecretRef: unique("hooks"),
    active: false,
    ...changes,
  });
  const subscribe = <T = Record<string, unknown>>(changes: Record<string, unknown> = {}) =>
    post<T>("/webhooks/subscriptions", aSubscription(changes));

  it("returns the documented members and the generated secret", async () => {
    const { status, body, headers } = await subscribe({ projectId: "project-1" });
    expect(status).toBe(201);
    expect(body).toEqual({
      subscriptionId: expect.stringMatching(/^whs_/),
      status: "Paused",
      eventType: "TemplateRegistered",
      createdAt: expect.stringMatching(/Z$/),
      direction: "Outbound",
      providerId: null,
      deliveryUrl: null,
      projectId: "project-1",
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32,}=*$/),
    });
    expect(headers.get("location")).toBe(`/webhooks/subscriptions/${String(body["subscriptionId"])}`);
  });

  it("is shown at its Location without its secret", async () => {
    const subscriptionInput = aSubscription({ projectId: "project-1" });
    const { body, headers } = await post("/webhooks/subscriptions", subscriptionInput);
    const subscriptionAnswer = await request(`GET ${headers.get("location")}`, { token });
    const [{ active: _, ...inputMembers }, { signingSecret: __, deliveryUrl: ___, ...bodyMembers }] = [
      subscriptionInput,
      body,
    ];
    const settings = { ratePerSecond: null, ordering: "parallel", filter: null, headers: null, handshake: null };
    const rest = { contentType: "application/json", disabledReason: null, version: 1 };
    expect(subscriptionAnswer.body).toEqual({ ...inputMembers, ...bodyMembers, ...settings, ...rest });
    expect(subscriptionAnswer.headers.get("etag")).toBe('"1"');
  });

  it("uses the credential with that name if it exists", async () => {
    const [name, signingSecret] = [unique("hooks"), `whsec_${Buffer.alloc(32, 7).toString("base64")}`];
    await post("/integrations/credentials", { name, kind: "WebhookSigning", secret: { signingSecret } });
    expect((await subscribe({ signingSecretRef: `secret://${name}` })).body["signingSecret"]).toBeNull();
    const other = unique("key");
    await post("/integrations/credentials", { name: other, kind: "ApiKey", secret: { apiKey: "b" } });
    const answer = await subscribe({ signingSecretRef: other });
    expect([refusal(answer), refusedFields(answer)]).toEqual([
      "422 REFERENCE_NOT_FOUND",
      ["/signingSecretRef REFERENCE_NOT_FOUND"],
    ]);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00:ec2::254]/latest",
    "https://user:secret@example.com/hooks",
    "http://10.0.0.1/hooks",
    "http://0.0.0.0/hooks",
    "http://2852039166/hooks",
    "gopher://example.com/hooks",
  ])("refuses the receiver %s", async (endpointUrl) => {
    const answer = await subscribe({ endpointUrl });
    expect([refusal(answer), refusedFields(answer)]).toEqual(["422 TARGET_BLOCKED", ["/endpointUrl TARGET_BLOCKED"]]);
  });

  it("refuses an unknown event, an event that the token may not read, and an unknown content type", async () => {
    const unknown = await subscribe({ eventType: "TemplateExploded" });
    expect([refusal(unknown), refusedFields(unknown)]).toEqual([
      "422 EVENT_TYPE_UNKNOWN",
      ["/eventType UNKNOWN_VALUE"],
    ]);
    const narrow = await tenant.tokenWith("webhooks.subscriptions.write");
    const hidden = await request("POST /webhooks/subscriptions", { token: narrow, body: aSubscription() });
    expect(refusal(hidden)).toBe("403 INSUFFICIENT_SCOPE");
    expect(hidden.body).toMatchObject({ requiredScopes: ["templates.read"] });
    expect(refusal(await subscribe({ contentType: "text/xml" }))).toBe("422 PARAMETERS_INVALID");
  });

  it("repeats a failed delivery with the same webhook-id and a new signature, and records each attempt", async () => {
    let calls = 0;
    const receiver = await aReceiver(() => (++calls === 1 ? 500 : 204));
    const { body } = await subscribe<{ subscriptionId: string; signingSecret: string }>({
      endpointUrl: receiver.url,
      active: true,
    });
    await post("/v1/templates", { name: unique("delivered") });
    await eventually("the second attempt arrives", () => receiver.received.length >= 2);
    const [first, second] = receiver.received;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-timestamp"]).not.toBe(first?.headers["webhook-timestamp"]);
    for (const webhook of receiver.received)
      expect(webhook.headers["webhook-signature"]).toBe(signatureOf(body.signingSecret, webhook));
    const log = async () =>
      (
        await graphql<{ webhookSubscription: { deliveries: unknown[] } }>(
          `{ webhookSubscription(subscriptionId: "${body.subscriptionId}") {
             deliveries { status attemptCount eventType attempts { number outcome statusCode failure } } } }`,
          { token },
        )
      ).body.data.webhookSubscription.deliveries;
    const deliveredMessage = {
      status: "Delivered",
      attemptCount: 2,
      eventType: "TemplateRegistered",
      attempts: [
        { number: 1, outcome: "Failed", statusCode: 500, failure: "HttpStatus" },
        { number: 2, outcome: "Succeeded", statusCode: 204, failure: null },
      ],
    };
    await eventually("the log says so", async () => JSON.stringify(await log()).includes('"Delivered"'));
    expect(await log()).toEqual([deliveredMessage]);
    await receiver.close();
  });

  it("sends nothing to a subscription that is not active", async () => {
    const [active, pausedReceiver] = [await aReceiver(), await aReceiver()];
    await subscribe({ endpointUrl: pausedReceiver.url });
    await subscribe({ endpointUrl: active.url, active: true });
    await post("/v1/templates", { name: unique("unseen") });
    await eventually("the active receiver gets the event", () => active.received.length > 0);
    expect(pausedReceiver.received).toEqual([]);
    await Promise.all([active.close(), pausedReceiver.close()]);
  });
});
