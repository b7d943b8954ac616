import { createHmac } from "node:crypto";
import { eventually } from "../kit/eventually.js";
import { anInboundSource, asSpecified, aVendorSecret } from "../kit/inbound-sources.js";
import { aJwsVendor, type JwsVendor } from "../kit/jws-vendor.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { type Json, request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { fromGithub, fromSlack, fromStripe, fromTwilio, type SentDelivery } from "../kit/vendor-senders.js";

let tenant: TestTenant;
let token: string;

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;
const post = <T = Json>(path: string, body: unknown, by = token) => request<T>(`POST ${path}`, { token: by, body });
const send = (path: string, { headers, raw }: SentDelivery) => request(`POST ${path}`, { headers, raw });

/** A source with its delivery URL's path and query. */
async function aSource(
  preset: string,
  { by = token, ...settings }: { by?: string; key?: string; secret?: string } = {},
) {
  const source = await anInboundSource(by, { preset, ...settings });
  const url = new URL(source.deliveryUrl);
  expect(url.origin).toBe(platform().publicUrl);
  return { ...source, place: url.pathname + url.search };
}

const aDelivery = (changes: Record<string, unknown> = {}) => ({
  providerDeliveryId: unique("delivery"),
  eventName: "pull_request.opened",
  payload: { number: 7 },
  ...changes,
});

const deliveryBy = (deliveryId: string, by = token) =>
  request(`GET /integrations/deliveries/${deliveryId}`, { token: by });

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

describe("POST /webhooks/deliveries", () => {
  it("records a delivery that is signed with the secret of an Inbound subscription", async () => {
    const source = await aSource("webhook");
    const delivery = aDelivery();
    const { status, body } = await send("/webhooks/deliveries", asSpecified(source, delivery));
    expect([status, body]).toEqual([
      202,
      {
        deliveryId: expect.stringMatching(/^whd_/),
        status: "Accepted",
        normalizedEventType: expect.any(String),
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ]);
    const storedDelivery = await deliveryBy(body["deliveryId"]);
    expect(storedDelivery.body).toMatchObject({
      deliveryId: body["deliveryId"],
      provider: source.key,
      providerDeliveryId: delivery.providerDeliveryId,
      eventName: "pull_request.opened",
      subscriptionId: source.subscriptionId,
      runId: expect.stringMatching(/^run_/),
      traceId: body["traceId"],
      payload: { number: 7 },
    });
    const { runId } = storedDelivery.body as unknown as { runId: string };
    const run = await request(`GET /integrations/runs/${runId}`, { token });
    expect(run.body).toMatchObject({ operation: "ProcessDelivery" });
  });

  it("verifies with the secret of an outbound subscription too", async () => {
    const key = unique("vendor");
    const secret = `whsec_${Buffer.alloc(32, key).toString("base64")}`;
    await post("/integrations/providers", { key, displayName: key, category: "Other", authModel: "ApiKey" });
    await post("/integrations/credentials", { name: key, kind: "WebhookSigning", secret: { signingSecret: secret } });
    await post("/webhooks/subscriptions", {
      eventType: "TemplateRegistered",
      endpointUrl: "http://127.0.0.1:9/",
      signingSecretRef: key,
    });
    expect((await send("/webhooks/deliveries", asSpecified({ key, secret }, aDelivery()))).status).toBe(202);
  });

  it("answers a repeated delivery with the first id, and refuses another body under that id", async () => {
    const source = await aSource("webhook");
    const delivery = aDelivery();
    const signedDelivery = asSpecified(source, delivery);
    const [first, ...others] = await Promise.all(
      Array.from({ length: 8 }, () => send("/webhooks/deliveries", signedDelivery)),
    );
    expect(others.map(({ status, body }) => [status, body["deliveryId"]])).toEqual(
      others.map(() => [202, first?.body["deliveryId"]]),
    );
    const changedDelivery = asSpecified(source, { ...delivery, payload: { number: 8 } });
    expect(refusal(await send("/webhooks/deliveries", changedDelivery))).toBe("409 DELIVERY_CONFLICT");
    expect((await send("/webhooks/deliveries", signedDelivery)).body["deliveryId"]).toBe(first?.body["deliveryId"]);
  });

  it("refuses each change of a signed delivery with the same answer", async () => {
    const source = await aSource("webhook");
    const other = await aSource("webhook");
    const signedDelivery = asSpecified(source, aDelivery());
    const signature = signedDelivery.headers["x-hub-signature-256"] ?? "";
    const changes: Record<string, SentDelivery> = {
      signature: {
        ...signedDelivery,
        headers: {
          ...signedDelivery.headers,
          "x-hub-signature-256": signature.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
        },
      },
      "no signature": { ...signedDelivery, headers: { ...signedDelivery.headers, "x-hub-signature-256": "" } },
      prefix: {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-hub-signature-256": signature.replace("sha256=", "sha1=") },
      },
      length: {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-hub-signature-256": signature.slice(0, -2) },
      },
      "two signatures": {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-hub-signature-256": `${signature}, ${signature}` },
      },
      body: { ...signedDelivery, raw: signedDelivery.raw.replace("opened", "closed") },
      "body that is no JSON": { ...signedDelivery, raw: signedDelivery.raw.slice(1) },
      "a byte after the body": { ...signedDelivery, raw: `${signedDelivery.raw} ` },
      "the key of another provider": {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-svc-provider": other.key },
      },
      "an unknown provider": {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-svc-provider": unique("nobody") },
      },
      "a malformed provider": {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-svc-provider": "Not a key!" },
      },
      "the hint of another subscription": {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-svc-subscription": other.subscriptionId },
      },
      "a hint that is no id": {
        ...signedDelivery,
        headers: { ...signedDelivery.headers, "x-svc-subscription": "whs_nothing" },
      },
      "another secret": asSpecified({ key: source.key, secret: aVendorSecret() }, aDelivery()),
    };
    const bodies = new Set<string>();
    for (const [change, delivery] of Object.entries(changes)) {
      const answer = await send("/webhooks/deliveries", delivery);
      expect([change, refusal(answer)]).toEqual([change, "401 SIGNATURE_INVALID"]);
      expect(answer.headers.get("www-authenticate")).toBe("Signature");
      const { traceId: _, ...comparableBody } = answer.body as unknown as Record<string, unknown>;
      bodies.add(JSON.stringify(comparableBody));
    }
    expect(bodies.size).toBe(1);
    expect((await send("/webhooks/deliveries", signedDelivery)).status).toBe(202);
  });

  it("checks provider header, media type, encoding and size before any secret", async () => {
    const source = await aSource("webhook");
    const signedDelivery = asSpecified(source, aDelivery());
    const { "x-svc-provider": _, ...otherHeaders } = signedDelivery.headers;
    const as = (headers: Record<string, string>) => ({
      ...signedDelivery,
      headers: { ...signedDelivery.headers, ...headers },
    });
    const ask = async (delivery: SentDelivery, query = "") =>
      refusal(await send(`/webhooks/deliveries${query}`, delivery));
    expect(await ask({ ...signedDelivery, headers: otherHeaders })).toBe("400 PROVIDER_HEADER_MISSING");
    expect(await ask(as({ "content-type": "text/plain" }))).toBe("415 UNSUPPORTED_MEDIA_TYPE");
    expect(await ask(as({ "content-type": "application/x-www-form-urlencoded" }))).toBe("415 UNSUPPORTED_MEDIA_TYPE");
    expect(await ask(as({ "content-encoding": "br" }))).toBe("415 UNSUPPORTED_MEDIA_TYPE");
    const large = asSpecified(source, aDelivery({ payload: "x".repeat(65 * 1024) }));
    const refusedAnswer = await send("/webhooks/deliveries", large);
    expect([refusal(refusedAnswer), refusedAnswer.body["hint"]]).toEqual(["413 PAYLOAD_TOO_LARGE", "?subscription="]);
    expect((await send(`/webhooks/deliveries?subscription=${source.subscriptionId}`, large)).status).toBe(202);
  });

  it("refuses a signed body that does not match the schema with 400", async () => {
    const source = await aSource("webhook");
    expect(refusal(await send("/webhooks/deliveries", asSpecified(source, { eventName: 1 })))).toBe(
      "400 VALIDATION_FAILED",
    );
    const raw = "{";
    const signature = createHmac("sha256", source.secret).update(raw).digest("hex");
    const signedDelivery = {
      raw,
      headers: { ...asSpecified(source, {}).headers, "x-hub-signature-256": `sha256=${signature}` },
    };
    expect(refusal(await send("/webhooks/deliveries", signedDelivery))).toBe("400 MALFORMED_JSON");
  });

  it("tells only on this path that a signature is missing, for known and unknown providers alike", async () => {
    const source = await aSource("webhook");
    const signedDelivery = asSpecified(source, aDelivery());
    const { "x-hub-signature-256": _, ...headers } = signedDelivery.headers;
    const distinctBodies = new Set<string>();
    for (const key of [source.key, unique("nobody"), "Not a key!"]) {
      const answer = await send("/webhooks/deliveries", {
        ...signedDelivery,
        headers: { ...headers, "x-svc-provider": key },
      });
      expect([key, refusal(answer)]).toEqual([key, "401 SIGNATURE_MISSING"]);
      expect(answer.headers.get("www-authenticate")).toBe("Signature");
      const { traceId: _trace, ...comparableBody } = answer.body as unknown as Record<string, unknown>;
      distinctBodies.add(JSON.stringify(comparableBody));
    }
    expect(distinctBodies.size).toBe(1);
    expect(refusal(await send(source.place, { ...signedDelivery, headers }))).toBe("401 SIGNATURE_INVALID");
  });

  it("finds the tenant by its secret, and refuses a delivery that secrets of two tenants verify", async () => {
    const key = unique("shared");
    const ours = await aSource("webhook", { key });
    const stranger = await (await aTenant()).tokenWith();
    const other = await aSource("webhook", { key, by: stranger });
    const { body } = await send("/webhooks/deliveries", asSpecified(other, aDelivery()));
    expect(refusal(await deliveryBy(body["deliveryId"]))).toBe("404 DELIVERY_NOT_FOUND");
    expect((await deliveryBy(body["deliveryId"], stranger)).status).toBe(200);
    const third = await (await aTenant()).tokenWith();
    await aSource("webhook", { key, by: third, secret: ours.secret });
    await eventually("the secret of the third tenant is known", async () => {
      const answer = await send("/webhooks/deliveries", asSpecified(ours, aDelivery()));
      return answer.status === 401;
    });
    expect(
      (await send(`/webhooks/deliveries?subscription=${ours.subscriptionId}`, asSpecified(ours, aDelivery()))).status,
    ).toBe(202);
    await eventually("the audit log of each tenant tells it", async () => {
      const { body: log } = await request("GET /v1/audit-records?limit=20", { token: third });
      const items = log["items"] as unknown as { operation: string; code: string }[];
      return items.some(({ operation, code }) => `${operation} ${code}` === "ingestWebhookDelivery SIGNATURE_INVALID");
    });
  });

  it("shows the payload only with its scope", async () => {
    const source = await aSource("webhook");
    const { body } = await send("/webhooks/deliveries", asSpecified(source, aDelivery()));
    const reader = await tenant.tokenWith("webhooks.subscriptions.read");
    expect((await deliveryBy(body["deliveryId"], reader)).body["payload"]).toBeNull();
    const list = await request(`GET /integrations/deliveries?subscriptionId=${source.subscriptionId}`, {
      token: reader,
    });
    expect((list.body["items"] as unknown as { deliveryId: string }[]).map(({ deliveryId }) => deliveryId)).toEqual([
      body["deliveryId"],
    ]);
  });
});

describe("POST /webhooks/deliveries/{providerKey}", () => {
  it("takes a delivery of GitHub", async () => {
    const { place, secret } = await aSource("github");
    const id = unique("72d3162e");
    const { status, body } = await send(place, fromGithub(secret, id, "pull_request", { action: "opened", number: 1 }));
    expect(status).toBe(202);
    expect((await deliveryBy(body["deliveryId"])).body).toMatchObject({
      providerDeliveryId: id,
      eventName: "pull_request.opened",
      payload: { action: "opened", number: 1 },
    });
  });

  it("takes a delivery of Stripe, and refuses one that is older than 300 s", async () => {
    const { place, secret } = await aSource("stripe");
    const event = { id: unique("evt"), type: "invoice.paid", data: { object: { amount_due: 100 } } };
    const { status, body } = await send(place, fromStripe(secret, event));
    expect(status).toBe(202);
    expect((await deliveryBy(body["deliveryId"])).body).toMatchObject({
      providerDeliveryId: event.id,
      eventName: "invoice.paid",
    });
    const old = Math.floor(Date.now() / 1000) - 301;
    expect(refusal(await send(place, fromStripe(secret, { ...event, id: "evt_old" }, old)))).toBe(
      "401 SIGNATURE_EXPIRED",
    );
    expect(refusal(await send(place, fromStripe(aVendorSecret(), { ...event, id: "evt_old" }, old)))).toBe(
      "401 SIGNATURE_INVALID",
    );
  });

  it("takes events and commands of Slack, and answers its test of the URL only when it is signed", async () => {
    const { place, secret } = await aSource("slack");
    const challenge = JSON.stringify({
      type: "url_verification",
      challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
    });
    const answer = await send(place, fromSlack(secret, challenge));
    expect([answer.status, answer.text]).toEqual([200, "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"]);
    expect(refusal(await send(place, fromSlack(aVendorSecret(), challenge)))).toBe("401 SIGNATURE_INVALID");
    const event = {
      type: "event_callback",
      event_id: unique("Ev"),
      team_id: "T1",
      event: { type: "message", text: "hi" },
    };
    const acceptance = await send(place, fromSlack(secret, JSON.stringify(event)));
    expect((await deliveryBy(acceptance.body["deliveryId"])).body).toMatchObject({
      providerDeliveryId: event.event_id,
      eventName: "message",
    });
    const form = new URLSearchParams({ command: "/deploy", trigger_id: unique("13345224609"), text: "now" }).toString();
    const command = await send(place, fromSlack(secret, form, "application/x-www-form-urlencoded"));
    expect((await deliveryBy(command.body["deliveryId"])).body).toMatchObject({
      eventName: "/deploy",
      payload: { text: "now" },
    });
  });

  it("takes a form of Twilio, whose signature covers the URL", async () => {
    const { place, secret } = await aSource("twilio");
    const parameters = {
      MessageSid: unique("SM"),
      AccountSid: "AC1",
      From: "+15017122661",
      Body: "Ahoy",
      SmsStatus: "received",
    };
    const url = platform().publicUrl + place;
    const { status, body } = await send(place, fromTwilio(secret, url, parameters));
    expect(status).toBe(202);
    expect((await deliveryBy(body["deliveryId"])).body).toMatchObject({ payload: parameters });
    expect(refusal(await send(`${place}&more=1`, fromTwilio(secret, url, parameters)))).toBe("401 SIGNATURE_INVALID");
  });
});

describe("a detached JWS of a vendor", () => {
  let vendor: JwsVendor;

  beforeAll(async () => {
    vendor = await aJwsVendor();
  });

  afterAll(() => vendor.close());

  it("verifies with the key set of the vendor on both paths", async () => {
    const key = unique("jws");
    const driver = {
      webhook: {
        scheme: vendor.scheme,
        deliveryId: ["body:/providerDeliveryId"],
        eventName: ["body:/eventName"],
      },
    };
    const provider = { key, displayName: key, category: "Other", authModel: "None", driver };
    expect((await post("/integrations/providers", provider)).status).toBe(201);
    const raw = JSON.stringify(aDelivery());
    const headers = {
      ...{ "content-type": "application/json", "x-svc-provider": key },
      "x-jws-signature": await vendor.sign(raw),
    };
    expect((await send("/webhooks/deliveries", { raw, headers })).status).toBe(202);
    const again = JSON.stringify(aDelivery());
    const other = { ...headers, "x-jws-signature": await vendor.sign(again) };
    expect((await send(`/webhooks/deliveries/${key}`, { raw: again, headers: other })).status).toBe(202);
    expect(refusal(await send("/webhooks/deliveries", { raw: again, headers }))).toBe("401 SIGNATURE_INVALID");
  });
});
