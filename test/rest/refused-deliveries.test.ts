import { eventually } from "../kit/eventually.js";
import { anInboundSource, aVendorSecret } from "../kit/inbound-sources.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";
import { fromGithub, fromSlack, type SentDelivery } from "../kit/vendor-senders.js";

interface Refused {
  readonly count: number;
  readonly lastReason: string | null;
  readonly firstRefusedAt: string | null;
  readonly lastRefusedAt: string | null;
}

const unique = (prefix: string) => `${prefix}-${Math.random().toString(36).slice(2)}`;
const nothing = { count: 0, lastReason: null, firstRefusedAt: null, lastRefusedAt: null };
let token: string;
let stranger: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
  stranger = await (await aTenant()).tokenWith();
});

const send = (path: string, { headers, raw }: SentDelivery) => request(`POST ${path}`, { headers, raw });
const placeOf = (url: string) => url.slice(new URL(url).origin.length);

async function told(path: string, count: number): Promise<Refused> {
  let last: Refused = nothing;
  await eventually(`${count} refusals are told`, async () => {
    last = (await request<Refused>(`GET ${path}`, { token })).body;
    return last.count === count;
  });
  return last;
}

it("a tenant sees how many deliveries to a subscription were refused, why and when, and no one else does", async () => {
  const source = await anInboundSource(token, { preset: "slack" });
  const path = `/webhooks/subscriptions/${source.subscriptionId}/refused-deliveries`;
  expect((await request<Refused>(`GET ${path}`, { token })).body).toEqual(nothing);
  const place = placeOf(source.deliveryUrl);
  const event = JSON.stringify({ type: "event_callback", event_id: unique("Ev"), event: { type: "message" } });
  expect((await send(place, fromSlack(source.secret, event))).status).toBe(202);
  const signedDelivery = fromSlack(aVendorSecret(), event);
  expect(refusal(await send(place, signedDelivery))).toBe("401 SIGNATURE_INVALID");
  expect(await told(path, 1)).toMatchObject({ lastReason: "SIGNATURE_INVALID" });
  const { "x-slack-signature": _, ...otherHeaders } = signedDelivery.headers;
  const old = fromSlack(source.secret, event, "application/json", Math.floor(Date.now() / 1000) - 400);
  const isType = { ...signedDelivery, headers: { ...signedDelivery.headers, "content-type": "text/css" } };
  const wrong: [SentDelivery, string][] = [
    [old, "401 SIGNATURE_EXPIRED"],
    [isType, "415 UNSUPPORTED_MEDIA_TYPE"],
    [fromSlack(source.secret, "{"), "400 MALFORMED_JSON"],
    [{ ...signedDelivery, headers: otherHeaders }, "401 SIGNATURE_INVALID"],
  ];
  for (const [delivery, answer] of wrong) expect(refusal(await send(place, delivery))).toBe(answer);
  const refusalSummary = await told(path, 5);
  expect(refusalSummary.lastReason).toBe("SIGNATURE_MISSING");
  expect(Date.parse(refusalSummary.lastRefusedAt ?? "")).toBeGreaterThan(
    Date.parse(refusalSummary.firstRefusedAt ?? ""),
  );
  expect(JSON.stringify(refusalSummary)).not.toContain("event_callback");
  expect(refusal(await request(`GET ${path}`, { token: stranger }))).toBe("404 WEBHOOK_SUBSCRIPTION_NOT_FOUND");
});

it("a tenant sees what was refused at the URL of a connection", async () => {
  const { providerId } = await anInboundSource(token, { preset: "github" });
  const name = unique("hook");
  const secret = aVendorSecret();
  const post = async (path: string, body: unknown) => {
    const answer = await request<Record<string, string>>(`POST ${path}`, { token, body });
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body;
  };
  await post("/integrations/credentials", { name, kind: "VendorWebhookSecret", secret: { secret } });
  const configuration = { webhookSecretRef: `secret://${name}` };
  const connectionInput = { providerId, displayName: name, authMode: "None", configuration };
  const { connectionId } = await post("/integrations/connections", connectionInput);
  const { body } = await request<{ deliveryUrl: string }>(`GET /integrations/connections/${connectionId}`, { token });
  const path = `/integrations/connections/${connectionId}/refused-deliveries`;
  const place = placeOf(body.deliveryUrl);
  expect((await send(place, fromGithub(secret, unique("id"), "push", {}))).status).toBe(202);
  expect((await send(place, fromGithub(aVendorSecret(), unique("id"), "push", {}))).status).toBe(401);
  expect(await told(path, 1)).toMatchObject({ lastReason: "SIGNATURE_INVALID" });
  expect(refusal(await request(`GET ${path}`, { token: stranger }))).toBe("404 CONNECTION_NOT_FOUND");
});
