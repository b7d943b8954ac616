import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { WebhookReceiver } from "../webhook-dispatch/webhook-receiver.fixture.js";

let fixture: IntegrationFixture;
let receiver: WebhookReceiver;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ webhookRetentionDays: 30 });
  receiver = await WebhookReceiver.start();
});

afterAll(async () => {
  await receiver.stop();
  await fixture.close();
});

async function subscribe(principal: Principal, path: string): Promise<void> {
  const { errors } = await fixture.run(
    principal,
    "mutation ($i: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $i) { subscriptionId } }",
    { i: { eventType: "TemplateRegistered", endpointUrl: receiver.url(path), signingSecretRef: "hook" } },
  );
  if (errors) throw errors[0];
}

const inState = (path: string, status: string, count: number) =>
  eventually(async () => {
    const rows = await fixture.rows(
      `select 1 from integration.webhook_messages message
       join integration.webhook_subscriptions subscription using (tenant_id, subscription_id)
       where endpoint_url = $1 and message.status = $2`,
      receiver.url(path),
      status,
    );
    return rows.length === count ? rows : undefined;
  });

const counts = async () => {
  const [row] = await fixture.rows<{ messages: number; attempts: number }>(
    `select (select count(*)::int from integration.webhook_messages) as messages,
       (select count(*)::int from integration.webhook_attempts) as attempts`,
  );
  return row;
};

describe("what is kept of webhook messages", () => {
  it("a message is sent again after the event log has forgotten its event", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/one");
    await subscribe(principal, "/two");
    const event = anEvent(principal);
    await fixture.bus.publish([event]);
    await inState("/one", "Delivered", 1);
    await inState("/two", "Delivered", 1);
    await fixture.rows("update integration.event_log set recorded_at = now() - interval '8 days'");
    await fixture.prune();
    expect(await fixture.rows("select 1 from integration.event_log where type = 'TemplateRegistered'")).toEqual([]);
    // as a resend would
    await fixture.rows(
      `update integration.webhook_messages set status = 'Pending', next_attempt_at = now(), finished_at = null
       where event_type = 'TemplateRegistered'`,
    );
    const again = await eventually(() => (receiver.received.length === 4 ? receiver.received : undefined));
    expect(again.map(({ headers }) => headers["webhook-id"])).toEqual(Array(4).fill(event.id));
    expect(new Set(again.map(({ body }) => body)).size).toBe(1);
    await inState("/one", "Delivered", 1);
  });

  it("messages that ended 30 days ago are forgotten with their attempts, in batches, and what waits is not", async () => {
    const principal = aPrincipal();
    await subscribe(principal, "/kept");
    await fixture.bus.publish([anEvent(principal)]);
    await inState("/kept", "Delivered", 1);
    const keptCounts = await counts();
    await fixture.rows(
      `with old as (
         insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
           status, attempts, created_at, finished_at)
         select tenant_id, gen_random_uuid(), subscription_id, gen_random_uuid(), 'TemplateRegistered', place,
           'Exhausted', 1, now() - interval '34 days', now() - interval '31 days'
         from generate_series(1, 2500) place, integration.webhook_subscriptions where endpoint_url = $1
         returning tenant_id, message_id)
       insert into integration.webhook_attempts (tenant_id, attempt_id, message_id, number, outcome, started_at, duration_ms)
       select tenant_id, gen_random_uuid(), message_id, 1, 'Failed', now() - interval '31 days', 5 from old`,
      receiver.url("/kept"),
    );
    await fixture.rows(
      `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         origin, status, attempts, next_attempt_at, created_at)
       select tenant_id, gen_random_uuid(), subscription_id, gen_random_uuid(), 'TemplateRegistered', 1,
         'http://127.0.0.1:1', 'RetryScheduled', 1, now() + interval '1 hour', now() - interval '40 days'
       from integration.webhook_subscriptions where endpoint_url = $1`,
      receiver.url("/kept"),
    );
    await fixture.prune();
    expect(await counts()).toEqual({ messages: (keptCounts?.messages ?? 0) + 1, attempts: keptCounts?.attempts });
  });

  it("a tenant may have its messages forgotten earlier, and not later than the platform's period", async () => {
    const [short, long, plain] = [aPrincipal(), aPrincipal(), aPrincipal()];
    const tenantOf = ({ tenantId = "" }: Principal) => decodeId("ten", tenantId);
    for (const principal of [short, long, plain]) await subscribe(principal, "/periods");
    await fixture.rows(
      `insert into integration.tenant_projections (tenant_id, version, slug, status, edition_code, subscription_status,
         settings, limits, stored_at)
       select tenant, 1, 'acme', 'Active', 'Free', '', settings::jsonb, '{}', now() from unnest($1::uuid[], $2::text[])
         copy (tenant, settings)`,
      [tenantOf(short), tenantOf(long), tenantOf(plain)],
      ['{"retention.webhookDays":7}', '{"retention.webhookDays":365}', '{"retention.webhookDays":null}'],
    );
    await fixture.rows(
      `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         status, attempts, created_at, finished_at)
       select tenant_id, gen_random_uuid(), subscription_id, gen_random_uuid(), 'TemplateRegistered', days, 'Delivered', 1,
         now() - make_interval(days => days), now() - make_interval(days => days)
       from integration.webhook_subscriptions, unnest(array[6, 8, 29, 31]) days where endpoint_url = $1`,
      receiver.url("/periods"),
    );
    await fixture.prune();
    const keptDays = async (principal: Principal) =>
      (
        await fixture.rows<{ position: string }>(
          "select position from integration.webhook_messages where tenant_id = $1 order by position",
          tenantOf(principal),
        )
      ).map(({ position }) => Number(position));
    expect(await keptDays(short)).toEqual([6]);
    expect(await keptDays(long)).toEqual([6, 8, 29]);
    expect(await keptDays(plain)).toEqual([6, 8, 29]);
  });
});
