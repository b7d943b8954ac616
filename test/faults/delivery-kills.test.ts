import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { anInboundSource, asSpecified, aVendorSecret, type InboundSource } from "../kit/inbound-sources.js";
import { kills } from "../kit/kills.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";

/**
 * Where the process is killed: before the commit of the second batch that it records, between such a commit and its 202,
 * after a claim, before the commit of the outcomes, and after it.
 */
const phases = ["claimed:kill:1", "recording:kill:2", "ending:kill:1", "recorded:kill:2", "ended:kill:1"] as const;
const perKill = 6;
/** A delivery with this event is always claimed and handled on its own. Another one may be handled with its recording. */
const revoked = "token.revoked";
const webhook = {
  scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex", signedContent: "{body}" },
  deliveryId: ["body:/providerDeliveryId"],
  eventName: ["body:/eventName"],
  revokedEvents: [revoked],
};

interface HandledRow {
  readonly delivery_id: string;
  readonly provider_delivery_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly run_status: string;
  readonly steps: readonly string[];
}

describe("kill -9 while deliveries are received and handled", () => {
  /** The id of the vendor for each delivery, with the id that a 202 has told for it. */
  const sent = new Map<string, string | undefined>();
  let dataDir: string;
  let platform: PlatformProcess;
  let source: InboundSource;
  let tenant: string | undefined;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  async function sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const client = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await client.connect();
    try {
      return (await client.query<Row>(text, text.includes("$1") ? [tenant] : [])).rows;
    } finally {
      await client.end();
    }
  }

  async function aSource(): Promise<InboundSource> {
    const base = platform.publicUrl;
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "delivered", "delivered");
    tenant = decodeId("ten", tenantId);
    const scopes = [
      "integration.providers.write",
      "integration.credentials.write",
      "webhooks.subscriptions.write",
    ] as const;
    const client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: [...scopes] });
    return anInboundSource(await accessToken(platform, client), { base, provider: { driver: { webhook } } });
  }

  /** Sends a delivery as its vendor does, which signs it. Returns the id in the 202, or undefined without an answer. */
  async function deliver(providerDeliveryId: string): Promise<string | undefined> {
    const eventName = /[02468]$/.test(providerDeliveryId) ? revoked : "widget.created";
    const delivery = { providerDeliveryId, eventName, payload: { said: providerDeliveryId } };
    const { headers, raw } = asSpecified(source, delivery);
    const path = `POST /webhooks/deliveries?subscription=${source.subscriptionId}`;
    const answer = await request<{ deliveryId: string }>(path, {
      ...{ base: platform.publicUrl, headers, raw },
    }).catch(() => undefined);
    if (!answer) return undefined;
    expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
    return answer.body.deliveryId;
  }

  /** The vendor sends new deliveries, and again those that it got no 202 for. */
  async function deliverAll(): Promise<void> {
    for (let count = 0; count < perKill; count += 1) sent.set(`delivery-${sent.size}`, undefined);
    const open = [...sent.keys()].filter((id) => sent.get(id) === undefined);
    await Promise.all(open.map(async (id) => sent.set(id, await deliver(id))));
  }

  /** Starts the platform, sends deliveries to it, and waits until their recording or handling has killed the process. */
  async function killedOnce(phase: string): Promise<void> {
    // a delivery of an earlier kill may kill the process before it is ready
    const started = await startPlatformProcess(dataDir, { FAIL: `delivery.${phase}` }).catch((error: Error) => {
      expect(error.message).toContain("ended with null");
    });
    if (!started) return;
    platform = started;
    source ??= await aSource();
    await deliverAll();
    expect(await platform.ended).toBeNull();
  }

  const handled = () =>
    sql<HandledRow>(
      `select delivery.delivery_id, delivery.provider_delivery_id, delivery.status, delivery.attempts,
         run.status as run_status, array(select step->>'status' from jsonb_array_elements(run.steps) step) as steps
       from integration.webhook_deliveries delivery join integration.runs run using (tenant_id, run_id)
       where delivery.tenant_id = $1`,
    );

  it("loses no acknowledged delivery, publishes no event twice and leaves no run open", async () => {
    const times = Math.max(kills, phases.length);
    for (let count = 0; count < times; count += 1) await killedOnce(phases[count % phases.length] ?? "");
    platform = await startPlatformProcess(dataDir);
    await deliverAll();
    // The claims of the killed processes end now, and not after 30 s.
    await sql("update integration.webhook_deliveries set next_attempt_at = now() where status = 'Processing'");
    await eventually("every delivery is handled", async () =>
      (await handled()).every(({ status }) => status === "Processed"),
    );
    // A vendor may send a delivery again although it got a 202: it gets the same id, and nothing more happens.
    for (const [id, deliveryId] of sent) expect(await deliver(id)).toBe(deliveryId);
    const deliveries = await handled();
    const events = await sql<{ subject: string; types: string[]; payloads: ({ said: string } | null)[] }>(
      `select envelope->>'subject' as subject, array_agg(envelope->>'type' order by seq) as types,
         array_agg(envelope->'data'->'payload' order by seq) as payloads
       from integration.outbox where tenant_id = $1 and envelope->>'subject' like 'deliveries/%'
         and envelope->>'messagekind' = 'event' group by 1`,
    );
    const eventsOf = new Map(events.map((event) => [event.subject, event]));
    const stored = new Set(deliveries.map(({ delivery_id: id }) => encodeId("whd", id)));
    const open = await sql("select from integration.runs where tenant_id = $1 and completed_at is null");
    expect({
      lost: [...sent.values()].filter((deliveryId) => deliveryId === undefined || !stored.has(deliveryId)),
      twice: events.filter(({ types }) => new Set(types).size < types.length),
      open,
    }).toEqual({ lost: [], twice: [], open: [] });
    expect(deliveries.length).toBe(sent.size);
    expect(events.length).toBe(sent.size);
    for (const { delivery_id: id, provider_delivery_id: said, ...delivery } of deliveries) {
      const deliveryId = encodeId("whd", id);
      expect(delivery).toEqual({
        ...{ status: "Processed", attempts: 1, run_status: "Completed" },
        steps: ["Running", "Completed"],
      });
      expect([sent.get(said), eventsOf.get(`deliveries/${deliveryId}`)]).toMatchObject([
        deliveryId,
        {
          types: ["WebhookDeliveryReceived", "VendorEventReceived", "WebhookDeliveryProcessed"],
          payloads: [null, { said }, null],
        },
      ]);
    }
  });

  it("leaves a platform that refuses deliveries with 429 and Retry-After after 120 failures in a minute", async () => {
    const forged = { ...source, secret: aVendorSecret() };
    const send = (by: InboundSource, query = "") => {
      const delivery = { providerDeliveryId: `limited${query}`, eventName: "widget.created", payload: {} };
      const { headers, raw } = asSpecified(by, delivery);
      return request(`POST /webhooks/deliveries${query}`, { base: platform.publicUrl, headers, raw });
    };
    for (let failures = 0; failures < 120; failures += 1) expect((await send(forged)).status).toBe(401);
    const refused = await send(forged);
    expect([refusal(refused), refusal(await send(source))]).toEqual(["429 RATE_LIMITED", "429 RATE_LIMITED"]);
    const seconds = Number(refused.headers.get("retry-after"));
    expect([seconds > 0, seconds <= 60]).toEqual([true, true]);
    // the failures of an address and a key block no delivery with the hint of a resource
    expect((await send(source, `?subscription=${source.subscriptionId}`)).status).toBe(202);
  });
});
