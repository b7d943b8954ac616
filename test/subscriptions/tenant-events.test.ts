import { decodeJwt } from "jose";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { platform } from "../kit/platform.js";
import { aReceiver } from "../kit/receiver.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

interface ReceivedEvent {
  events: { type: string; tenantId: string; data: { runId?: string }; subject: { status?: string } | null };
}

const query = `subscription ($types: [String!]) {
  events(types: $types) { type tenantId data subject { ... on Tenant { status } } } }`;

let owners: TestTenant;
let admin: string;

beforeAll(async () => {
  [owners, admin] = await Promise.all([aTenant(), platformToken()]);
});

const subscribe = (token: string, endpointUrl: string) =>
  request("POST /webhooks/subscriptions", {
    token,
    body: { eventType: "TenantProvisioned", endpointUrl, signingSecretRef: "tenant-events" },
  });

/** Registers and provisions a tenant over REST, and returns the tenant and the run. */
async function aProvisioning(): Promise<{ tenantId: string; runId: string }> {
  const slug = `p${Date.now().toString(36)}`;
  const body = { name: slug, slug, editionCode: "Standard", ownerEmail: "owner@example.com" };
  const { tenantId } = (await request<{ tenantId: string }>("POST /v1/tenants", { token: admin, body })).body;
  const base = platform().internalUrl;
  const line = `POST /v1/tenants/${tenantId}/provision`;
  return { tenantId, runId: (await request<{ runId: string }>(line, { token: admin, base })).body.runId };
}

describe("the events of the life of a tenant", () => {
  it("reach platform administrators, with the requested run, on the websocket and at webhooks", async () => {
    const [feed, ownToken] = [await aFeed<ReceivedEvent>({ query, token: admin }), await owners.tokenWith()];
    const theirs = await aFeed<ReceivedEvent>({ query, token: ownToken });
    const receiver = await aReceiver();
    expect((await subscribe(admin, receiver.url)).status).toBe(201);
    await request("POST /v1/templates", { token: ownToken, body: { name: "Ours" } });
    const { tenantId, runId } = await aProvisioning();
    const ofIt = () => feed.events.map(({ events }) => events).filter((event) => event.tenantId === tenantId);
    const webhookBodies = () =>
      receiver.received.map(({ body }) => JSON.parse(body) as { tenantid: string; data: unknown });
    await eventually("the event arrives on the websocket", () =>
      ofIt().some(({ type }) => type === "TenantProvisioned"),
    );
    await eventually("the webhook arrives", () => webhookBodies().some((event) => event.tenantid === tenantId));
    const types = (feed: { events: readonly ReceivedEvent[] }) => feed.events.map(({ events }) => events.type);
    await eventually("the owner gets the event of the template", () => types(theirs).includes("TemplateRegistered"));
    expect(ofIt().map(({ type }) => type)).toEqual([
      "TenantRegistered",
      "TenantProvisioningStarted",
      "TenantProvisioned",
    ]);
    expect(ofIt().at(-1)).toMatchObject({ data: { runId }, subject: { status: "Active" } });
    expect(webhookBodies().find((event) => event.tenantid === tenantId)).toMatchObject({
      type: "TenantProvisioned",
      data: { runId },
    });
    const ofOthers = feed.events.filter(({ events }) => events.tenantId !== decodeJwt(admin)["tenantId"]);
    expect(types({ events: ofOthers }).filter((type) => !type.startsWith("Tenant"))).toEqual([]);
    expect(types(theirs).filter((type) => type.startsWith("Tenant"))).toEqual([]);
    await Promise.all([feed.stop(), theirs.stop(), receiver.close()]);
  });

  it("do not reach an administrator of the tenant, who may not subscribe to them or send them to a webhook", async () => {
    const ownToken = await owners.tokenWith();
    const feed = await aFeed<ReceivedEvent>({ query, variables: { types: ["TenantProvisioned"] }, token: ownToken });
    await eventually("it is refused", () => feed.errors.length > 0);
    expect(feed.errors).toMatchObject([{ extensions: { code: "INSUFFICIENT_SCOPE" } }]);
    expect(refusal(await subscribe(ownToken, "http://127.0.0.1:9/hooks"))).toBe("403 INSUFFICIENT_SCOPE");
    await feed.stop();
  });
});
