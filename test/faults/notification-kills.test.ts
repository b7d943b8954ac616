import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
} from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { SMTPServer } from "smtp-server";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";

/** Where the process is killed: around the mail of the platform, and around the command to the tenant's connection. */
const phases = ["mailed", "answering", "mailing", "handedOver", "toMailLane", "answered"].map(
  (place) => `notification.${place}`,
);
const kills = killsAt(phases.length);
const takeoverMs = 360_000;

interface Sender {
  readonly client: ClientCredentials;
  readonly notificationIds: string[];
}

interface SentEvent {
  readonly id: string;
  readonly data: { readonly notificationId: string };
}

describe("kill -9 in the delivery of notifications", () => {
  let home: PlatformHome;
  let platform: PlatformProcess;
  let receiver: Receiver;
  /** By the mail server of the platform, and by a connection of the tenant. */
  const senders: Sender[] = [];
  /** The notifications that become one mail with another one. */
  const digested: string[] = [];
  const received: { messageId: string; subject: string; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, "m").exec(text)?.[1] ?? "";
        received.push({ messageId: header("Message-ID"), subject: header("Subject"), text });
        done();
      });
    },
  });
  const smtpPort = () => (server.server.address() as { port: number }).port;

  beforeAll(async () => {
    home = await PlatformHome.open();
    receiver = await aReceiver();
    server.on("error", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  });
  afterAll(async () => {
    await platform?.stop();
    await home.close();
    await receiver.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const start = (variables: Record<string, string> = {}) =>
    home.start({
      ...{ SMTP_URL: `smtp://127.0.0.1:${smtpPort()}`, MAIL_FROM: "no-reply@factory.example" },
      ...variables,
    });

  async function aSender(slug: string): Promise<Sender> {
    const admin = await home.adminToken(platform);
    const { tenantId } = await ensureTenant(platform, admin, slug, slug);
    const scopes = [
      ...(["notification.send", "notification.read", "webhooks.subscriptions.write"] as const),
      ...(["integration.providers.write", "integration.connections.write"] as const),
    ];
    const sender = {
      client: await createTenantClient(platform, admin, tenantId, { name: "test", scopes }),
      notificationIds: [],
    };
    const body = { eventType: "NotificationSent", endpointUrl: receiver.url, signingSecretRef: "kills" };
    await post(sender, "/webhooks/subscriptions", body);
    return sender;
  }

  async function post({ client }: Sender, path: string, body: unknown): Promise<Record<string, string>> {
    const token = await accessToken(platform, client);
    const answer = await request<Record<string, string>>(`POST ${path}`, { base: platform.publicUrl, token, body });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  }

  async function connect(sender: Sender): Promise<void> {
    const { providerId } = await post(sender, "/integrations/providers", {
      ...{ key: "mail", displayName: "Mail", category: "Other", authModel: "None", capabilities: ["email.send"] },
      driver: { smtp: { host: "127.0.0.1", port: smtpPort(), security: "none" } },
    });
    const configuration = { from: "me@sender.example" };
    await post(sender, "/integrations/connections", {
      providerId,
      displayName: "Mail",
      authMode: "None",
      configuration,
    });
  }

  /** One notification of each tenant, and two of the first that become one mail. The process may die before it answers. */
  async function notify(name: string): Promise<void> {
    const send = (sender: Sender, ids: string[], more: object = {}) =>
      post(sender, "/v1/notifications", {
        ...{ channel: "Email", recipient: { email: "ada@people.example" }, title: name, body: "x", ...more },
      }).then(
        ({ notificationId = "" }) => ids.push(notificationId),
        () => undefined,
      );
    for (const sender of senders) await send(sender, sender.notificationIds);
    const digest = { key: name, windowSeconds: 1 };
    for (const sender of senders.slice(0, 1))
      await Promise.all([send(sender, digested, { digest }), send(sender, digested, { digest })]);
  }

  async function statesOf(token: string, ids: readonly string[]): Promise<string[]> {
    const states = ids.map(async (id) => {
      const { body } = await request<{ status: string }>(`GET /v1/notifications/${id}`, {
        ...{ base: platform.publicUrl, token },
      });
      return body.status;
    });
    return Promise.all(states);
  }

  it("loses and writes nothing twice, and sends at most one more mail for each kill, with the same Message-ID", async () => {
    for (let count = 0; count < kills; count += 1) {
      const started = await start({ FAIL: `${phases[count % phases.length]}:kill:1` }).catch((error: Error) => {
        expect(error.message).toContain("ended with null");
      });
      // a notification of an earlier kill may end the process before it is ready
      if (!started) continue;
      platform = started;
      if (senders.length === 0) {
        senders.push(await aSender("by-platform"), await aSender("by-connection"));
        await connect(senders[1] as Sender);
      }
      await notify(`kill ${count}`);
      expect(await platform.ended).toBeNull();
    }
    platform = await start();
    await notify("the last one");
    const [first, second] = senders as [Sender, Sender];
    const sent = [
      [first, [...first.notificationIds, ...digested]],
      [second, second.notificationIds],
    ] as const;
    for (const [{ client }, ids] of sent) {
      const token = await accessToken(platform, client);
      await eventually(
        "each notification is Sent",
        async () => (await statesOf(token, ids)).every((status) => status === "Sent"),
        takeoverMs,
      );
    }
    const ids = sent.flatMap(([, some]) => some);
    const events = () => receiver.received.map(({ body }) => JSON.parse(body) as SentEvent);
    await eventually("each NotificationSent has arrived", () =>
      ids.every((id) => events().some(({ data }) => data.notificationId === id)),
    );
    for (const id of ids)
      expect(new Set(events().flatMap((event) => (event.data.notificationId === id ? [event.id] : []))).size).toBe(1);
    const messageIds = new Set(received.map(({ messageId }) => messageId));
    for (const id of first.notificationIds) expect(messageIds).toContain(`<${id}@factory.example>`);
    expect(received.length - messageIds.size).toBeLessThanOrEqual(kills);
    expect(messageIds.size).toBeGreaterThanOrEqual(ids.length - digested.length + 1);
    // one of each title by the mail server of the platform, and one by the connection
    const single = received.filter(({ messageId }) => !messageId.startsWith("<ndg_"));
    const titles = single.map(({ subject, messageId }) => `${subject} ${messageId}`);
    const titlesByWay = single.map(({ subject, messageId }) => `${subject} ${messageId.split("@")[1]}`);
    expect(new Set(titles).size).toBe(new Set(titlesByWay).size);
    const last = single.find(({ messageId }) => messageId === `<${first.notificationIds.at(-1)}@factory.example>`);
    for (const expected of [
      /^From: "?by-platform"? <no-reply@factory\.example>\r$/m,
      /^List-Unsubscribe:\s+<http:.*\/connect\/unsubscribe\?token=.*>\r$/m,
      /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
      /^Content-Type: text\/plain/m,
      /^Content-Type: text\/html/m,
      /^Sent by by-platform\r$/m,
    ])
      expect(last?.text).toMatch(expected);
  }, 1_200_000);
});
