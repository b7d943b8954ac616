import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { type CommandEnvelope, createEvent } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { EventType } from "@factory/schema/event-names";
import { tenantScopes } from "@factory/schema/scopes";
import { type Answer, principal, RunningSpine, until } from "../../running-spine.fixture.js";
import { MailServer } from "./email/mail-server.fixture.js";
import type { NotificationTargets, SubscriptionTarget } from "./messages/notification-targets.js";

interface NotificationRow {
  readonly status: string;
  readonly failure_reason: string | null;
}

const send = `mutation ($input: SendNotificationInput!) {
  sendNotification(input: $input) { notificationId notificationIds status } }`;

const usualSessionMs = 30_000;

/** A spine with a mail server, and with an integration subgraph that the test plays. */
export class ChannelTest {
  /** The tenants with a connection, and all tenants' subscriptions by their ids. */
  readonly connected = new Set<string>();
  readonly subscriptions = new Map<string, SubscriptionTarget>();
  /** How many calls integration leaves without an answer. */
  outages = 0;
  /** Whether every call fails in a way that nobody expects. */
  isBroken = false;

  private constructor(
    readonly spine: RunningSpine,
    readonly mails: MailServer,
    readonly url: string,
    readonly mailSettings: { sessionMs: number },
  ) {}

  static async start(): Promise<ChannelTest> {
    const mails = await MailServer.start();
    let test: ChannelTest | undefined;
    const workingTest = () => {
      if (!test) throw new Error("the test has not started");
      if (test.isBroken) throw new Error("broken on purpose");
      if (test.outages > 0) {
        test.outages -= 1;
        throw new DomainError("UNAVAILABLE", { detail: "Integration does not answer." });
      }
      return test;
    };
    const notificationTargets: NotificationTargets = {
      hasConnection: async ({ tenantId }) => workingTest().connected.has(tenantId),
      subscription: async (_tenant, subscriptionId) => workingTest().subscriptions.get(subscriptionId),
    };
    const mail = { smtpUrl: mails.url, from: "Factory <no-reply@factory.example>", sessionMs: usualSessionMs };
    const spine = await RunningSpine.start({
      mail,
      notificationTargets,
      platformMailsPerHour: 200,
      notificationTimes: { firstPauseMs: 100, longestPauseMs: 300, patienceMs: 600_000 },
    });
    test = new ChannelTest(spine, mails, await spine.listen(), mail);
    return test;
  }

  async stop(): Promise<void> {
    await this.spine.stop();
    await this.mails.close();
  }

  ask(tenantId: string, input: Record<string, unknown>): Promise<Answer> {
    return this.spine.ask(principal(tenantId, tenantScopes), send, { input });
  }

  /** Sends a notification, and returns its id. */
  async notify(tenantId: string, input: Record<string, unknown>): Promise<string> {
    const { data, errors } = await this.ask(tenantId, input);
    if (!data) throw new Error(JSON.stringify(errors));
    return data["sendNotification"].notificationId;
  }

  /** As `notify`, where the mail server will leave a session without an answer: only this one is cut soon. */
  async notifyBySilentServer(tenantId: string, input: Record<string, unknown>): Promise<string> {
    const { silences } = this.mails;
    this.mailSettings.sessionMs = 500;
    const notificationId = await this.notify(tenantId, input);
    await until(async () => this.mails.silences > silences);
    this.mailSettings.sessionMs = usualSessionMs;
    return notificationId;
  }

  async row(notificationId: string): Promise<NotificationRow> {
    const { rows } = await this.spine.admin.query<NotificationRow>(
      "select status, failure_reason from notifications where notification_id = $1",
      [decodeId("ntf", notificationId)],
    );
    return rows[0] ?? { status: "absent", failure_reason: null };
  }

  /** Waits until the notification has the state, and returns its failure reason. */
  async becomes(notificationId: string, status: string): Promise<string | null> {
    let row = await this.row(notificationId);
    await until(async () => {
      row = await this.row(notificationId);
      return row.status === status;
    }).catch(() => {
      throw new Error(`The notification is ${row.status} (${row.failure_reason}), and not ${status}`);
    });
    return row.failure_reason;
  }

  /** Lets the notification's job run now. */
  async hasten(notificationId: string): Promise<void> {
    const { admin } = this.spine;
    await admin.query("update notifications set due_at = now() where notification_id = $1 and status = 'Queued'", [
      decodeId("ntf", notificationId),
    ]);
    await admin.query(
      "update spine_jobs.job set start_after = now() where singleton_key = $1 and state in ('created', 'retry')",
      [notificationId],
    );
  }

  /** Waits until the notification is Sent, however long its driver would wait before the next attempt. */
  async isSentAtLast(notificationId: string): Promise<void> {
    await until(async () => {
      await this.hasten(notificationId);
      return (await this.row(notificationId)).status === "Sent";
    });
  }

  /** Waits until the notifications have joined their digests. */
  async joined(notificationIds: readonly string[]): Promise<void> {
    const waiting =
      "select from notifications where notification_id = any($1) and status = 'Queued' and due_at > now()";
    const uuids = notificationIds.map((id) => decodeId("ntf", id));
    await until(async () => (await this.spine.admin.query(waiting, [uuids])).rows.length === uuids.length);
  }

  /** Waits until all these notifications have joined their digests, and then ends the windows. */
  async closeWindow(notificationIds: readonly string[]): Promise<void> {
    await this.joined(notificationIds);
    await this.spine.admin.query(
      `update notification_digests set closes_at = now() where digest_id in (
         select digest_id from notification_digest_members where notification_id = any($1))`,
      [notificationIds.map((id) => decodeId("ntf", id))],
    );
    for (const id of notificationIds) await this.hasten(id);
  }

  /** Sends a job for the notification, as the sweeper does. */
  async sendJob(tenantId: string, notificationId: string): Promise<void> {
    const payloads = JSON.stringify([{ tenantId, notificationId }]);
    await this.spine.admin.query(
      `with scope as materialized (select set_config('app.tenant', $1, true) as tenant)
       select spine_jobs.send_jobs('deliver-notification', $2, null) from scope where tenant <> ''`,
      [decodeId("ten", tenantId), payloads],
    );
  }

  /** The command that was sent for the notification, as soon as there is one. */
  async command(notificationId: string): Promise<CommandEnvelope> {
    let command: CommandEnvelope | undefined;
    await until(async () => {
      const { rows } = await this.spine.admin.query<{ envelope: CommandEnvelope }>(
        "select envelope from outbox where envelope->>'messagekind' = 'command' and envelope->>'subject' = $1",
        [`notifications/${notificationId}`],
      );
      command = rows[0]?.envelope;
      return command !== undefined;
    });
    return command as CommandEnvelope;
  }

  /** Publishes an event as integration does, with the command as its cause. */
  async answer(
    tenantId: string,
    type: EventType,
    { commandId, data = {} }: { commandId?: string; data?: Record<string, unknown> },
  ): Promise<void> {
    const cause = {
      trace: continueTrace(undefined),
      actorId: "system",
      ...(commandId === undefined ? {} : { causationId: commandId }),
    };
    const event = createEvent({ type, subject: `runs/${newId("run")}`, data: { commandId, ...data } }, tenantId, cause);
    await this.spine.host.bus.publish([event]);
  }

  /** The types of the notification's events, in their order. */
  async events(tenantId: string, notificationId: string): Promise<string[]> {
    const events = await this.spine.eventsOf(tenantId);
    return events.filter(({ subject }) => subject === `notifications/${notificationId}`).map(({ type }) => type);
  }
}
