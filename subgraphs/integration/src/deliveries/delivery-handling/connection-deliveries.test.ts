import { createHmac, randomBytes } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import { candidateStatements } from "../inbound-candidates/candidate-statement.js";

let fixture: IntegrationFixture;
let principal: Principal;

beforeAll(async () => {
  fixture = await sharedIntegration();
});

beforeEach(() => {
  principal = aPrincipal();
});

afterAll(() => fixture.close());

async function run(source: string, variables: Record<string, unknown>, by = principal) {
  const { data, errors } = await fixture.run(by, source, variables);
  const [error] = errors ?? [];
  return error ? { refused: error.extensions["code"] } : (Object.values(data)[0] as Record<string, unknown>);
}

interface Vendor {
  readonly key: string;
  readonly providerId: string;
  readonly secret: string;
  readonly subscriptionId: string;
}

const vendorSecret = (secret: string) => ({ kind: "VendorWebhookSecret", secret: { secret } });

async function aCredential(secret: string, material: object = vendorSecret(secret)): Promise<string> {
  const name = newId("crd").slice(4);
  await run("mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
    input: { name, ...material },
  });
  return `secret://${name}`;
}

/** A provider whose deliveries name an account. Their secret belongs to an Inbound subscription. */
async function aVendor(more: { projectId?: string } = {}): Promise<Vendor> {
  const [key, secret] = [newId("prv").slice(4), newId("evt")];
  const webhook = {
    scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex", signedContent: "{body}" },
    deliveryId: ["body:/id"],
    eventName: ["body:/type"],
    account: "body:/account",
    revokedEvents: ["token.revoked"],
  };
  const { providerId } = await run(
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { input: { key, displayName: "Vendor", category: "Other", authModel: "ApiKey", driver: { webhook } } },
  );
  const signingSecretRef = await aCredential(secret);
  const subscriptionId = await aSubscription({ direction: "Inbound", providerId, signingSecretRef, ...more });
  return { key, providerId: String(providerId), secret, subscriptionId };
}

async function aSubscription(input: Record<string, unknown>): Promise<string> {
  const { subscriptionId } = await run(
    "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
    { input },
  );
  return String(subscriptionId);
}

async function aConnection({ providerId }: Vendor, input: Record<string, unknown>): Promise<string> {
  const { connectionId } = await run(
    "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }",
    { input: { providerId, displayName: "Mail", authMode: "ApiKey", ...input } },
  );
  return String(connectionId);
}

const signature = (secret: string, body: Buffer) => createHmac("sha256", secret).update(body).digest("hex");

/** Sends a signed body to the vendor's path, with its query. */
function send({ key, secret }: Pick<Vendor, "key" | "secret">, body: unknown, query = "", more: object = {}) {
  const bytes = Buffer.from(JSON.stringify(body));
  return run("mutation ($input: IngestWebhookDeliveryInput!) { ingestWebhookDelivery(input: $input) { deliveryId } }", {
    input: {
      providerKey: key,
      headers: [
        { name: "content-type", value: "application/json" },
        { name: "x-signature", value: signature(secret, bytes) },
        ...Object.entries(more).map(([name, value]) => ({ name, value })),
      ],
      body: bytes.toString("base64"),
      path: `/webhooks/deliveries/${key}${query}`,
    },
  });
}

/** A delivery's events, as soon as there are so many. */
const eventsOf = (deliveryId: unknown, atLeast: number) =>
  eventually(async () => {
    const events = await fixture.rows<{ type: string; project: string | null; connection: string | null }>(
      `select envelope->>'type' as type, envelope->>'projectid' as project, envelope->'data'->>'connectionId' as connection
       from integration.outbox where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event' order by seq`,
      `deliveries/${String(deliveryId)}`,
    );
    return events.length >= atLeast ? events : undefined;
  });

it("the events and the run of a delivery name the project of the connection of its account", async () => {
  const vendor = await aVendor();
  const connectionId = await aConnection(vendor, { projectId: "orders", configuration: { accountId: "one" } });
  const answer = await send(vendor, { id: "d-1", type: "widget.created", account: "one" });
  const types = ["WebhookDeliveryReceived", "VendorEventReceived", "WebhookDeliveryProcessed"];
  expect(await eventsOf(answer["deliveryId"], 3)).toEqual(
    types.map((type) => ({ type, project: "orders", connection: connectionId })),
  );
  const { items } = await run(
    "query ($id: ID!) { runs(filter: { deliveryId: $id }) { items: edges { node { connectionId projectId } } } }",
    { id: answer["deliveryId"] },
  );
  expect(items).toEqual([{ node: { connectionId, projectId: "orders" } }]);
  const other = await send(vendor, { id: "d-2", type: "widget.created", account: "two" });
  expect(await eventsOf(other["deliveryId"], 3)).toEqual(
    types.map((type) => ({ type, project: null, connection: null })),
  );
});

it("the project of an Inbound subscription is that of its deliveries, unless their connection has one", async () => {
  const vendor = await aVendor({ projectId: "billing" });
  await aConnection(vendor, { projectId: "orders", configuration: { accountId: "one" } });
  const projectsOf = async (deliveryId: unknown, atLeast: number) => {
    const events = await eventsOf(deliveryId, atLeast);
    return events.map(({ project }) => project);
  };
  const ofConnection = await send(vendor, { id: "d-1", type: "widget.created", account: "one" });
  expect(await projectsOf(ofConnection["deliveryId"], 3)).toEqual(["orders", "orders", "orders"]);
  const handledAtOnce = await send(vendor, { id: "d-2", type: "widget.created" });
  expect(await projectsOf(handledAtOnce["deliveryId"], 3)).toEqual(["billing", "billing", "billing"]);
  const pause = "mutation ($id: ID!) { pauseWebhookSubscription(subscriptionId: $id) { status } }";
  await run(pause, { id: vendor.subscriptionId });
  const replay = "mutation ($id: ID!) { replayWebhookDelivery(deliveryId: $id) { runId } }";
  await run(replay, { id: handledAtOnce["deliveryId"] });
  expect(new Set(await projectsOf(handledAtOnce["deliveryId"], 5))).toEqual(new Set(["billing"]));
});

it("a new webhook secret and a new account of a connection count from the next delivery on", async () => {
  const vendor = await aVendor();
  const secrets = { before: newId("evt"), after: newId("evt") };
  const configuration = { webhookSecretRef: await aCredential(secrets.before), accountId: "one" };
  const connectionId = await aConnection(vendor, { configuration });
  const signedWith = (secret: string, query: string) =>
    send({ ...vendor, secret }, { id: newId("evt"), type: "widget.created" }, query);
  const [byConnection, byAccount] = [`?connection=${connectionId}`, "?account=two"];
  expect(await signedWith(secrets.before, byConnection)).toHaveProperty("deliveryId");
  expect(await signedWith(secrets.after, byConnection)).toEqual({ refused: "SIGNATURE_INVALID" });
  expect(await signedWith(secrets.after, byAccount)).toEqual({ refused: "SIGNATURE_INVALID" });
  await run(
    "mutation ($id: ID!, $input: UpdateConnectionInput!) { updateConnection(connectionId: $id, input: $input) { version } }",
    {
      id: connectionId,
      input: { configuration: { webhookSecretRef: await aCredential(secrets.after), accountId: "two" } },
    },
  );
  // The notice arrives after the commit.
  await eventually(
    async () => ("deliveryId" in (await signedWith(secrets.after, byConnection)) ? true : undefined),
    5000,
  );
  expect(await signedWith(secrets.before, byConnection)).toEqual({ refused: "SIGNATURE_INVALID" });
  expect(await signedWith(secrets.after, byAccount)).toHaveProperty("deliveryId");
});

it("a revocation that is sent as the specification shows it moves the connection of its account", async () => {
  const vendor = await aVendor();
  const accounts = ["one", "two"];
  const connections = await Promise.all(
    accounts.map((accountId) => aConnection(vendor, { configuration: { accountId } })),
  );
  const body = Buffer.from(
    JSON.stringify({ providerDeliveryId: "d-1", eventName: "token.revoked", payload: { account: "one" } }),
  );
  const { deliveryId } = await run(
    "mutation ($input: IngestWebhookDeliveryInput!) { ingestWebhookDelivery(input: $input) { deliveryId } }",
    {
      input: {
        headers: [
          { name: "content-type", value: "application/json" },
          { name: "x-svc-provider", value: vendor.key },
          { name: "x-hub-signature-256", value: `sha256=${signature(vendor.secret, body)}` },
        ],
        body: body.toString("base64"),
        path: "/webhooks/deliveries",
      },
    },
  );
  await eventsOf(deliveryId, 3);
  const states = await Promise.all(
    connections.map((id) => run("query ($id: ID!) { connection(connectionId: $id) { status } }", { id })),
  );
  expect(states).toEqual([{ status: "AuthorizationRequired" }, { status: "Active" }]);
});

describe("a delivery that only the secret of an outbound subscription has verified", () => {
  const anOutboundSecret = async (): Promise<string> => {
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    await aSubscription({
      ...{ eventType: "TemplateRegistered", endpointUrl: "http://127.0.0.1:9/" },
      signingSecretRef: await aCredential("", { kind: "WebhookSigning", secret: { signingSecret: secret } }),
    });
    return secret;
  };
  /** Sends until the notice about a new secret has arrived. */
  const sendUntilTaken = (vendor: Pick<Vendor, "key" | "secret">, body: object, headers?: Record<string, string>) =>
    eventually(async () => (await send(vendor, body, "", headers))["deliveryId"]);
  const typesOf = async (deliveryId: unknown, atLeast: number) =>
    (await eventsOf(deliveryId, atLeast)).map(({ type }) => type);

  it("is published, and moves no connection, since the receiver of the subscription knows the secret", async () => {
    const vendor = await aVendor();
    const id = await aConnection(vendor, { configuration: { accountId: "one" } });
    const secret = await anOutboundSecret();
    const forgedId = await sendUntilTaken({ ...vendor, secret }, { id: "d-1", type: "token.revoked", account: "one" });
    expect(await typesOf(forgedId, 3)).toContain("VendorEventReceived");
    const { status } = await run("query ($id: ID!) { connection(connectionId: $id) { status } }", { id });
    expect(status).toBe("Active");
  });

  it("reports no pull request", async () => {
    const [key, inbound] = [newId("prv").slice(4), newId("evt")];
    const provider = await run(
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      { input: { key, preset: "github", displayName: "Vendor", category: "SourceControl", authModel: "BearerToken" } },
    );
    const providerId = String(provider["providerId"]);
    const signingSecretRef = await aCredential(inbound);
    await aSubscription({ direction: "Inbound", providerId, signingSecretRef });
    const outbound = await anOutboundSecret();
    const at = "2026-01-01T10:00:00Z";
    const pull = {
      ...{
        number: 3,
        html_url: "https://git.example/3",
        state: "closed",
        created_at: at,
        updated_at: at,
        merged_at: at,
      },
      ...{ head: { ref: "a", repo: { full_name: "acme/orders" } }, base: { repo: { full_name: "acme/orders" } } },
    };
    const body = { action: "closed", repository: { full_name: "acme/orders" }, pull_request: pull };
    const deliver = (secret: string) => {
      const digest = signature(secret, Buffer.from(JSON.stringify(body)));
      return sendUntilTaken({ key, secret }, body, {
        ...{ "x-github-event": "pull_request", "x-github-delivery": newId("evt") },
        "x-hub-signature-256": `sha256=${digest}`,
      });
    };
    expect(await typesOf(await deliver(outbound), 3)).not.toContain("PullRequestReported");
    expect(await typesOf(await deliver(inbound), 4)).toContain("PullRequestReported");
  });
});

describe("the secrets that are tried without a hint", () => {
  const isTaken = async (vendor: Vendor, secret: string, query = "") =>
    "deliveryId" in (await send({ ...vendor, secret }, { id: newId("evt"), type: "widget.created" }, query));

  it("of a tenant are 8: those made for deliveries before those of outbound subscriptions, the newest first", async () => {
    const vendor = await aVendor();
    const { providerId } = vendor;
    const signing = `whsec_${Buffer.alloc(32, vendor.key).toString("base64")}`;
    const outbound = await aSubscription({
      ...{ eventType: "TemplateRegistered", endpointUrl: "http://127.0.0.1:9/" },
      signingSecretRef: await aCredential("", { kind: "WebhookSigning", secret: { signingSecret: signing } }),
    });
    const newer: { secret: string; subscriptionId?: string }[] = [];
    for (let place = 0; place < 8; place += 1) {
      const secret = newId("evt");
      const reference = await aCredential(secret);
      if (place % 2 === 0) await aConnection(vendor, { configuration: { webhookSecretRef: reference } });
      // an equal credential has one place, however many resources hold it
      const input = { direction: "Inbound", providerId, signingSecretRef: reference };
      newer.push(place % 4 < 2 ? { secret, subscriptionId: await aSubscription(input) } : { secret });
      if (place % 4 === 3) await aConnection(vendor, { configuration: { webhookSecretRef: reference } });
    }
    await eventually(async () => ((await isTaken(vendor, newer.at(-1)?.secret ?? "")) ? true : undefined));
    for (const { secret } of newer) expect(await isTaken(vendor, secret)).toBe(true);
    expect([await isTaken(vendor, vendor.secret), await isTaken(vendor, signing)]).toEqual([false, false]);
    expect(await isTaken(vendor, vendor.secret, `?subscription=${vendor.subscriptionId}`)).toBe(true);
    expect(await isTaken(vendor, signing, `?subscription=${outbound}`)).toBe(true);
  });

  it("are 256 in all, and at most 8 of each tenant", async () => {
    const vendor = await aVendor();
    const { providerId } = vendor;
    for (let place = 0; place < 8; place += 1)
      await aSubscription({ direction: "Inbound", providerId, signingSecretRef: await aCredential(newId("evt")) });
    const copies = Array.from({ length: 33 }, () => decodeId("ten", newId("ten")));
    for (const table of ["providers", "credentials", "webhook_subscriptions"])
      await fixture.rows(
        `insert into integration.${table}
         select (jsonb_populate_record(original, jsonb_build_object('tenant_id', copy))).*
         from integration.${table} original, unnest($1::uuid[]) copy where original.tenant_id = $2`,
        ...[copies, decodeId("ten", principal.tenantId ?? "")],
      );
    const text = candidateStatements.none.replaceAll(
      /\b(from|join) (providers|webhook_subscriptions|connections)\b/g,
      "$1 integration.$2",
    );
    const rows = await fixture.rows<{ tenant_id: string }>(text, vendor.key);
    const counts = copies.map((tenant) => rows.filter(({ tenant_id: id }) => id === tenant).length);
    expect([rows.length, Math.max(...counts)]).toEqual([256, 8]);
  });
});
