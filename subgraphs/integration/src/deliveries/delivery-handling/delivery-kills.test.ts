import { createHmac } from "node:crypto";
import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { kills } from "@factory/runtime/faults/kills.fixture";
import { ProcessEnded } from "@factory/runtime/faults/subgraph-process.fixture";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal } from "../../integration.fixture.js";
import { IntegrationProcesses } from "../../integration-processes.fixture.js";

/**
 * Where the process is killed: before the commit of the second batch that it records, between such a commit and its
 * answer, after a claim, before the outcomes commit, and after that.
 */
const phases = ["claimed:kill:1", "recording:kill:2", "ending:kill:1", "recorded:kill:2", "ended:kill:1"] as const;
const perKill = 6;
/** A delivery with this event is always claimed and handled on its own. Another one may be handled with its recording. */
const revokedEvent = "token.revoked";
const webhook = {
  scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex", signedContent: "{body}" },
  deliveryId: ["body:/providerDeliveryId"],
  eventName: ["body:/eventName"],
  revokedEvents: [revokedEvent],
};
const secret = "secret-of-a-vendor";

interface HandledRow {
  readonly delivery_id: string;
  readonly provider_delivery_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly run_status: string;
  readonly steps: readonly string[];
}

describe("kill -9 while deliveries are received and handled", () => {
  const principal = aPrincipal();
  const tenant = decodeId("ten", principal.tenantId ?? "");
  /** The vendor's id for each delivery, with the id that an answer has told for it. */
  const sentIds = new Map<string, string | undefined>();
  let subgraph: IntegrationProcesses;
  let subscriptionId = "";

  beforeAll(async () => {
    subgraph = await IntegrationProcesses.open();
  });
  afterAll(() => subgraph.close());

  const sql = <Row>(text: string) => subgraph.rows<Row>(text, tenant);

  /** Registers the vendor, and subscribes to its deliveries. */
  async function anInboundSubscription(): Promise<string> {
    const run = (source: string, input: object) => subgraph.only(principal, source, { input });
    const { providerId } = await run(
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      {
        ...{ key: "vendor", displayName: "Vendor", category: "Other", authModel: "ApiKey" },
        ...{ preset: "webhook", driver: { webhook } },
      },
    );
    await run("mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
      ...{ name: "inbound", kind: "VendorWebhookSecret", secret: { secret } },
    });
    const subscription = await run(
      "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
      { direction: "Inbound", providerId, signingSecretRef: "secret://inbound" },
    );
    return subscription.subscriptionId;
  }

  /** Sends a delivery as its vendor does, which signs it. Returns the id in the answer, or undefined without one. */
  async function deliver(providerDeliveryId: string): Promise<string | undefined> {
    const eventName = /[02468]$/.test(providerDeliveryId) ? revokedEvent : "widget.created";
    const body = Buffer.from(JSON.stringify({ providerDeliveryId, eventName, payload: { said: providerDeliveryId } }));
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const input = {
      ...{ body: body.toString("base64"), path: `/webhooks/deliveries?subscription=${subscriptionId}` },
      headers: [
        { name: "content-type", value: "application/json" },
        { name: "x-svc-provider", value: "vendor" },
        { name: "x-hub-signature-256", value: `sha256=${signature}` },
      ],
    };
    const source =
      "mutation ($input: IngestWebhookDeliveryInput!) { ingestWebhookDelivery(input: $input) { deliveryId status } }";
    const answer = await subgraph.only(principal, source, { input }).catch((error: unknown) => {
      if (!(error instanceof ProcessEnded)) throw error;
    });
    if (!answer) return undefined;
    expect(answer).toEqual({ status: "Accepted", deliveryId: expect.any(String) });
    return answer.deliveryId;
  }

  /** The vendor sends new deliveries, and again those that it got no answer for. */
  async function deliverAll(): Promise<void> {
    for (let count = 0; count < perKill; count += 1) sentIds.set(`delivery-${sentIds.size}`, undefined);
    const open = [...sentIds.keys()].filter((id) => sentIds.get(id) === undefined);
    await Promise.all(open.map(async (id) => sentIds.set(id, await deliver(id))));
  }

  /** Starts the subgraph, sends deliveries to it, and waits until their recording or handling has killed the process. */
  async function killedOnce(phase: string): Promise<void> {
    // a delivery from an earlier kill may kill the process before it is ready
    if (!(await subgraph.startMortal(`delivery.${phase}`))) return;
    if (subscriptionId === "") subscriptionId = await anInboundSubscription();
    await deliverAll();
    expect(await subgraph.process.ended).toBeNull();
  }

  const storedDeliveries = () =>
    sql<HandledRow>(
      `select delivery.delivery_id, delivery.provider_delivery_id, delivery.status, delivery.attempts,
         run.status as run_status, array(select step->>'status' from jsonb_array_elements(run.steps) step) as steps
       from integration.webhook_deliveries delivery join integration.runs run using (tenant_id, run_id)
       where delivery.tenant_id = $1`,
    );

  it("loses no acknowledged delivery, publishes no event twice and leaves no run open", async () => {
    const times = Math.max(kills, phases.length);
    for (let count = 0; count < times; count += 1) await killedOnce(phases[count % phases.length] ?? "");
    await subgraph.start();
    await deliverAll();
    // The killed processes' claims end now, and not after 30 s.
    await subgraph.rows(
      "update integration.webhook_deliveries set next_attempt_at = now() where status = 'Processing'",
    );
    await eventually("every delivery is handled", async () =>
      (await storedDeliveries()).every(({ status }) => status === "Processed"),
    );
    // A vendor may send a delivery again although it got an answer: it gets the same id, and nothing more happens.
    for (const [id, deliveryId] of sentIds) expect(await deliver(id)).toBe(deliveryId);
    const deliveries = await storedDeliveries();
    const events = await sql<{ subject: string; types: string[]; payloads: ({ said: string } | null)[] }>(
      `select envelope->>'subject' as subject, array_agg(envelope->>'type' order by seq) as types,
         array_agg(envelope->'data'->'payload' order by seq) as payloads
       from integration.outbox where tenant_id = $1 and envelope->>'subject' like 'deliveries/%'
         and envelope->>'messagekind' = 'event' group by 1`,
    );
    const eventsOf = new Map(events.map((event) => [event.subject, event]));
    const storedIds = new Set(deliveries.map(({ delivery_id: id }) => encodeId("whd", id)));
    const open = await sql("select from integration.runs where tenant_id = $1 and completed_at is null");
    expect({
      lost: [...sentIds.values()].filter((deliveryId) => deliveryId === undefined || !storedIds.has(deliveryId)),
      twice: events.filter(({ types }) => new Set(types).size < types.length),
      open,
    }).toEqual({ lost: [], twice: [], open: [] });
    expect(deliveries.length).toBe(sentIds.size);
    expect(events.length).toBe(sentIds.size);
    for (const { delivery_id: id, provider_delivery_id: idAtVendor, ...delivery } of deliveries) {
      const deliveryId = encodeId("whd", id);
      expect(delivery).toEqual({
        ...{ status: "Processed", attempts: 1, run_status: "Completed" },
        steps: ["Running", "Completed"],
      });
      expect([sentIds.get(idAtVendor), eventsOf.get(`deliveries/${deliveryId}`)]).toMatchObject([
        deliveryId,
        {
          types: ["WebhookDeliveryReceived", "VendorEventReceived", "WebhookDeliveryProcessed"],
          payloads: [null, { said: idAtVendor }, null],
        },
      ]);
    }
  });
});
