import { aConnection } from "../kit/connections.js";
import { aCredential } from "../kit/credentials.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { platform } from "../kit/platform.js";
import { aProvider } from "../kit/providers.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { anAddress, mailTo } from "../kit/users.js";
import { aVendor, type Vendor } from "../kit/vendor.js";

const driver = {
  commands: {
    SendEmail: {
      ...{ method: "POST", path: "/mail", encoding: "json", vendorId: "body:/path" },
      body: { to: { $value: "/to" }, subject: { $value: "/subject" }, unsubscribe: { $value: "/listUnsubscribe" } },
    },
    SendSms: {
      ...{ method: "POST", path: "/sms", encoding: "json" },
      body: { to: { $value: "/to" }, text: { $value: "/text" } },
    },
  },
};

describe("the channels of notifications", () => {
  let tenant: TestTenant;
  let token: string;
  let vendor: Vendor;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    [tenant, vendor] = await Promise.all([aTenant(), aVendor()]);
    token = await tenant.tokenWith();
    vendor.accepted.add("key");
  });
  afterAll(() => Promise.all([vendor.close(), ...receivers.map((receiver) => receiver.close())]));

  const notify = (body: object) =>
    request<{ notificationId: string }>("POST /v1/notifications", {
      token,
      body: { title: "Hello", body: "Here.", ...body },
    });

  async function becomes(id: string, status: string): Promise<void> {
    let lastBody: unknown;
    await eventually(`the notification is ${status}`, async () => {
      const { body } = await request<{ status: string }>(`GET /v1/notifications/${id}`, { token });
      lastBody = body;
      return body.status === status;
    }).catch((error: unknown) => {
      throw new Error(JSON.stringify(lastBody), { cause: error });
    });
  }

  async function aSubscription(eventType: string): Promise<{ id: string; receiver: Receiver }> {
    const receiver = await aReceiver();
    receivers.push(receiver);
    const body = { eventType, endpointUrl: receiver.url, signingSecretRef: "channels" };
    const subscription = await request<{ subscriptionId: string }>("POST /webhooks/subscriptions", { token, body });
    expect(subscription.status).toBe(201);
    return { id: subscription.body.subscriptionId, receiver };
  }

  it("write a mail to the outbox in development, whose link unsubscribes with one click and no token", async () => {
    const recipient = { email: anAddress() };
    const data = { reportName: "Usage", url: "https://factory.example/reports/1" };
    const body = { channel: "Email", recipient, templateKey: "report-ready", data, locale: "fr-CA" };
    const send = () => request<{ notificationId: string }>("POST /v1/notifications", { token, body });
    const { notificationId } = (await send()).body;
    await becomes(notificationId, "Sent");
    const mail = await mailTo(recipient.email);
    expect(mail).toContain(`Message-ID: <${notificationId}@localhost>`);
    expect(mail).toContain("Le rapport Usage a");
    const link = /^List-Unsubscribe:\s+<([^>]+)>/m.exec(mail)?.[1] ?? "";
    expect(link).toMatch(new RegExp(`^${platform().publicUrl}/connect/unsubscribe\\?token=`));
    expect((await fetch(link)).status).toBe(200);
    const oneClick = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    expect((await fetch(link, { method: "POST", body: oneClick, redirect: "manual" })).status).toBe(200);
    await becomes((await send()).body.notificationId, "Failed");
  });

  it("deliver by a connection of the tenant, with a text message where its vendor has the capability", async () => {
    const recipient = { email: "ada@people.example" };
    const withoutOne = await notify({ channel: "Sms", recipient: { phone: "+41791234567" } });
    await becomes(withoutOne.body.notificationId, "Failed");
    const capabilities = ["email.send", "sms.send"];
    const providerId = await aProvider(token, { key: "messages", baseUrl: vendor.baseUrl, driver, capabilities });
    const { credentialRef } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "key" } });
    const configuration = { from: "me@sender.example" };
    await aConnection(token, providerId, { credentialRef, configuration });
    const mail = await notify({ channel: "Email", recipient });
    const sms = await notify({ channel: "Sms", recipient: { phone: "+41791234567" } });
    await becomes(mail.body.notificationId, "Sent");
    await becomes(sms.body.notificationId, "Sent");
    const bodyOf = (path: string) =>
      JSON.parse(vendor.calls.find((call) => call.path === path)?.body ?? "{}") as unknown;
    expect(bodyOf("/mail")).toMatchObject({
      ...{ to: ["ada@people.example"], subject: "Hello" },
      unsubscribe: expect.stringMatching(/^<http.*\/connect\/unsubscribe\?token=.*>$/),
    });
    expect(bodyOf("/sms")).toEqual({ to: "+41791234567", text: "Hello\n\nHere." });
  });

  it("send a webhook to the subscription that the recipient names, to no other one, and to websockets", async () => {
    const [target, other, unlike] = [
      await aSubscription("NotificationRequested"),
      await aSubscription("NotificationRequested"),
      await aSubscription("NotificationSent"),
    ];
    const query = `subscription { events(types: ["NotificationRequested"]) { subjectPath } }`;
    const feed = await aFeed<{ events: { subjectPath: string } }>({ query, token });
    const refusal = await notify({ channel: "Webhook", recipient: { subscriptionId: unlike.id } });
    expect([refusal.status, refusal.text]).toEqual([422, expect.stringContaining("/recipient/subscriptionId")]);
    const notification = await notify({ channel: "Webhook", recipient: { subscriptionId: target.id } });
    expect(notification.status).toBe(202);
    const { notificationId } = notification.body;
    await becomes(notificationId, "Sent");
    await eventually("the webhook and the event have arrived", () =>
      [target.receiver.received, feed.events].every(({ length }) => length > 0),
    );
    const [webhook] = target.receiver.received;
    expect(JSON.parse(webhook?.body ?? "")).toMatchObject({
      type: "NotificationRequested",
      subject: `notifications/${notificationId}`,
      data: { title: "Hello", body: "Here.", subscriptionId: target.id },
    });
    expect(feed.events.map(({ events }) => events.subjectPath)).toContain(`notifications/${notificationId}`);
    // the state's event comes after the request's event, so the other webhook would have come before it
    await eventually("the event NotificationSent has arrived", () => unlike.receiver.received.length > 0);
    expect(other.receiver.received).toEqual([]);
    await feed.stop();
  });
});
