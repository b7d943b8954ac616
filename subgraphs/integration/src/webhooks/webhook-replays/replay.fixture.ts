import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { anEvent, eventually, type IntegrationCaller } from "../../integration.fixture.js";
import type { WebhookReceiver } from "../webhook-dispatch/webhook-receiver.fixture.js";

// oxlint-disable-next-line typescript/no-explicit-any
type Found = any;

/** A tenant's actions on its webhooks in a replay test. */
export class ReplayScene {
  constructor(
    readonly fixture: IntegrationCaller,
    readonly receiver: WebhookReceiver,
    readonly principal: Principal,
  ) {}

  get #tenant() {
    return decodeId("ten", this.principal.tenantId ?? "");
  }

  /** The data in the answer's only field, or the error's extensions as `refused`. */
  async ask(source: string, variables: Record<string, unknown>, principal = this.principal): Promise<Found> {
    const { data, errors } = await this.fixture.run(principal, source, variables);
    return errors?.[0] ? { refused: errors[0].extensions } : Object.values(data)[0];
  }

  async subscribe(more: object = {}): Promise<string> {
    const endpointUrl = this.receiver.url("/hook");
    const input = { eventType: "TemplateRegistered", endpointUrl, signingSecretRef: "hook", ...more };
    const source = `mutation ($input: CreateWebhookSubscriptionInput!) {
      createWebhookSubscription(input: $input) { subscriptionId } }`;
    return (await this.ask(source, { input })).subscriptionId;
  }

  replay(subscription: string, input: object = {}): Promise<Found> {
    const source = `mutation ($id: ID!, $input: ReplayWebhookMessagesInput!) {
      replayWebhookMessages(subscriptionId: $id, input: $input) { runId operation status } }`;
    const since = "continueRunId" in input ? {} : { since: new Date(Date.now() - 86_400_000).toISOString() };
    return this.ask(source, { id: subscription, input: { ...since, ...input } });
  }

  runOf(runId: string): Promise<Found> {
    return this.ask("query ($id: ID!) { run(runId: $id) { status attempts progress result error { code } } }", {
      id: runId,
    });
  }

  cancel(runId: string): Promise<Found> {
    return this.ask("mutation ($id: ID!) { cancelRun(runId: $id) { status progress } }", { id: runId });
  }

  move(how: "pause" | "resume" | "delete", subscription: string): Promise<Found> {
    const source = `mutation ($id: ID!) { ${how}WebhookSubscription(subscriptionId: $id) { status } }`;
    return this.ask(source, { id: subscription });
  }

  /** The run when it has ended. */
  ended(runId: string, patienceMs = 180_000): Promise<Found> {
    return eventually(async () => {
      const run = await this.runOf(runId);
      return ["Queued", "Running", "RetryScheduled"].includes(run.status) ? undefined : run;
    }, patienceMs);
  }

  /** Resolves when nothing waits for the tenant. */
  async settled(patienceMs = 180_000): Promise<void> {
    await eventually(async () => {
      const waiting = await this.count("status in ('Pending', 'Delivering', 'RetryScheduled')");
      return waiting === 0 ? true : undefined;
    }, patienceMs);
  }

  async count(where: string): Promise<number> {
    const [row] = await this.fixture.rows<{ count: number }>(
      `select count(*)::int as count from integration.webhook_messages where tenant_id = $1 and ${where}`,
      this.#tenant,
    );
    return row?.count ?? 0;
  }

  /** Events from an hour ago, a hundred at a time, in the tenant's log. Their webhook-ids are `evt_1` and so on. */
  async addEvents(count: number): Promise<void> {
    const envelope = JSON.stringify(anEvent(this.principal));
    await this.fixture.rows(
      `with head as (insert into integration.event_log_heads (tenant_id, sequence) values ($1, $2))
       insert into integration.event_log (tenant_id, sequence, event_id, type, envelope, recorded_at)
       select $1, place, gen_random_uuid(), 'TemplateRegistered',
         $3::jsonb || jsonb_build_object('id', 'evt_' || place, 'partitionkey', 'key ' || place % 5,
           'data', jsonb_build_object('place', place)),
         now() - interval '1 hour' + (place / 100) * interval '100 milliseconds'
       from generate_series(1, $2::int) place`,
      this.#tenant,
      count,
      envelope,
    );
  }

  /** A message to the subscription for each event from `addEvents`, as if it had been sent in vain or not. */
  async addMessages(subscription: string, status: string, attempts = 10): Promise<void> {
    await this.fixture.rows(
      `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         status, attempts, finished_at, created_at)
       select tenant_id, gen_random_uuid(), $2, event_id, type, sequence, $3, $4, now(), recorded_at
       from integration.event_log where tenant_id = $1 and envelope ->> 'partitionkey' like 'key %'`,
      this.#tenant,
      decodeId("whs", subscription),
      status,
      attempts,
    );
  }

  /** Messages to a new subscription, one for each event. */
  async exhausted(count: number, more: object = {}): Promise<string> {
    await this.addEvents(count);
    const subscription = await this.subscribe(more);
    await this.addMessages(subscription, "Exhausted");
    return subscription;
  }

  /** The webhook-ids in the order in which they arrived. */
  get ids(): string[] {
    return this.receiver.received.map(({ headers }) => String(headers["webhook-id"]));
  }

  /** How often the most frequent webhook has arrived, and how many different ones. */
  get arrivals(): { most: number; different: number } {
    const times = new Map<string, number>();
    for (const id of this.ids) times.set(id, (times.get(id) ?? 0) + 1);
    return { most: [...times.values()].reduce((a, b) => Math.max(a, b), 0), different: times.size };
  }
}
