import { createHash } from "node:crypto";
import { encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { RunCounts } from "../../runs/run-counts.js";
import { DeliveryRecords } from "../inbound-deliveries/delivery-records.js";
import type { NewDelivery } from "../inbound-deliveries/new-delivery.js";
import { endRetryHold, holdRetries } from "./retry-hold.fixture.js";

let fixture: IntegrationFixture;
const tenant = tenantWithId(newId("ten"));

beforeAll(async () => {
  fixture = await startIntegrationFixture();
});

afterAll(() => fixture.close());

function aDelivery(changes: Partial<NewDelivery> = {}): NewDelivery {
  const payload = changes.payload ?? '{"number":7}';
  return {
    match: {
      ...{ tenant, providerId: newId("prv"), providerKey: "vendor", preset: null },
      ...{ subscriptionId: null, connectionId: null, subscriptionProject: null, provedBy: "Secret" },
      driver: {
        webhook: {
          scheme: { kind: "standard-webhooks" },
          deliveryId: [],
          eventName: [],
          revokedEvents: ["app.removed"],
        },
      },
    },
    ...{ providerDeliveryId: newId("evt"), eventName: "pull_request", normalizedEventType: "PullRequestOpened" },
    ...{ account: undefined, payload, bodySha256: createHash("sha256").update(payload).digest() },
    trace: continueTrace(undefined),
    ...changes,
  };
}

async function recorded(delivery: NewDelivery, records = fixture.integration.get(DeliveryRecords)) {
  const [outcome] = await records.write(tenant, [delivery]);
  if (!outcome || outcome === "Conflict") throw new Error("not recorded");
  return outcome.deliveryId;
}

interface Row {
  delivery_id: string;
  status: string;
  attempts: number;
  claims: number;
  due: boolean;
  processed: boolean;
  run: { status: string; attempts: number; fence: number; steps: { status: string }[]; completed_at: string | null };
}

async function rowOf(deliveryId: string): Promise<Row | undefined> {
  const rows = await fixture.rows<Row>(
    `select delivery.delivery_id, delivery.status, delivery.attempts, delivery.claims, delivery.next_attempt_at is not null as due,
       delivery.processed_at is not null as processed, to_jsonb(run) as run
     from integration.webhook_deliveries delivery join integration.runs run using (tenant_id, run_id)`,
  );
  return rows.find(({ delivery_id }) => encodeId("whd", delivery_id) === deliveryId);
}

const eventsOf = async (deliveryId: string) =>
  (
    await fixture.rows<{ envelope: { type: string; traceid: string; data: Record<string, unknown> } }>(
      "select envelope from integration.outbox where envelope->>'subject' = $1 order by seq",
      `deliveries/${deliveryId}`,
    )
  ).map(({ envelope }) => envelope);

describe("a delivery whose event is all that there is to do", () => {
  it("is handled in the transaction that records it", async () => {
    const counts = fixture.integration.get(RunCounts);
    const countsBefore = JSON.stringify(counts.all);
    const delivery = aDelivery();
    const deliveryId = await recorded(delivery);
    expect(await rowOf(deliveryId)).toMatchObject({
      ...{ status: "Processed", attempts: 1, claims: 0, due: false, processed: true },
      run: { status: "Completed", attempts: 1, steps: [{ status: "Running" }, { status: "Completed" }] },
    });
    const events = await eventsOf(deliveryId);
    expect(events.map(({ type }) => type)).toEqual([
      "WebhookDeliveryReceived",
      "PullRequestOpened",
      "WebhookDeliveryProcessed",
    ]);
    expect(new Set(events.map(({ traceid }) => traceid))).toEqual(new Set([delivery.trace.traceId]));
    expect(events[1]?.data).toMatchObject({ deliveryId, payload: { number: 7 } });
    expect(events[2]?.data).toMatchObject({ attempts: 1 });
    expect(JSON.stringify(counts.all)).not.toBe(countsBefore);
  });

  it("has a reference in its event when its payload is too large", async () => {
    const deliveryId = await recorded(aDelivery({ payload: JSON.stringify({ text: "x".repeat(64 * 1024) }) }));
    const [, event] = await eventsOf(deliveryId);
    expect(event?.data).toMatchObject({ payloadRef: `/integrations/deliveries/${deliveryId}` });
    expect(event?.data).not.toHaveProperty("payload");
  });

  it("is recorded in any case, and handled later, when its handling fails", async () => {
    await holdRetries(fixture);
    await fixture.rows("alter table integration.outbox add constraint broken check (type <> 'IssueOpened') not valid");
    const deliveryId = await recorded(aDelivery({ normalizedEventType: "IssueOpened" }));
    const inState = (status: string) =>
      eventually(async () => {
        const row = await rowOf(deliveryId);
        return row?.status === status ? row : undefined;
      });
    const failedRow = await inState("Failed");
    expect(failedRow).toMatchObject({ run: { status: "RetryScheduled" } });
    await fixture.rows("alter table integration.outbox drop constraint broken");
    await endRetryHold(fixture, failedRow.delivery_id);
    expect(await inState("Processed")).toMatchObject({ attempts: 2, run: { status: "Completed", attempts: 2 } });
    expect((await eventsOf(deliveryId)).map(({ type }) => type)).toEqual([
      "WebhookDeliveryReceived",
      "IssueOpened",
      "WebhookDeliveryProcessed",
    ]);
  });
});

it("leaves a delivery that changes connections to the dispatcher", async () => {
  const deliveryId = await recorded(aDelivery({ eventName: "app.removed", normalizedEventType: "AppRemoved" }));
  expect((await eventsOf(deliveryId))[0]?.type).toBe("WebhookDeliveryReceived");
  const row = await eventually(async () => {
    const row = await rowOf(deliveryId);
    return row?.status === "Processed" ? row : undefined;
  });
  expect(row).toMatchObject({ claims: 1, run: { status: "Completed", attempts: 1 } });
});
