import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { principal, until } from "../../running-spine.fixture.js";
import { ChannelTest } from "./channel-test.fixture.js";
import { readMail } from "./email/read-mail.fixture.js";

let test: ChannelTest;
let tenantId: string;

beforeAll(async () => {
  test = await ChannelTest.start();
  tenantId = await test.spine.activeTenant("channels");
});
afterAll(() => test?.stop());
afterEach(() => {
  test.mails.behave();
  test.connected.clear();
});

const ada = { email: "ada@people.example" };
const mailTo = (recipient: object, more: object = {}) => ({
  ...{ channel: "Email", recipient, title: "Hello", body: "First line\nsecond line\n\nNext <b>paragraph</b>", ...more },
});
const mailsFor = (notificationId: string) =>
  test.mails.received.filter(({ messageId }) => messageId === `${notificationId}@factory.example`);

describe("the channel Email", () => {
  it("sends by the mail server of the platform, as text and HTML, with the id of the notification", async () => {
    const id = await test.notify(tenantId, mailTo(ada));
    await test.becomes(id, "Sent");
    const [mail, ...more] = mailsFor(id);
    expect(more).toEqual([]);
    expect(mail?.to).toEqual(["ada@people.example"]);
    const { headers, parts } = readMail(mail?.text ?? "");
    const link = "http://127.0.0.1:4000/connect/unsubscribe?token=";
    expect(headers).toMatchObject({
      ...{ subject: "Hello", to: "ada@people.example", "message-id": `<${id}@factory.example>` },
      "list-unsubscribe": expect.stringContaining(`<${link}`),
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      "auto-submitted": "auto-generated",
      "mime-version": "1.0",
      "content-type": expect.stringMatching(/^multipart\/alternative;/),
    });
    expect(Object.keys(parts)).toEqual(["text/plain", "text/html"]);
    expect(parts["text/plain"]).toContain("First line\r\nsecond line\r\n\r\nNext <b>paragraph</b>\r\n");
    expect(parts["text/html"]).toContain("First line<br>\r\nsecond line");
    expect(parts["text/html"]).toContain("Next &lt;b&gt;paragraph&lt;/b&gt;");
    for (const part of Object.values(parts)) expect(part).toContain(link);
    expect(await test.events(tenantId, id)).toEqual(["NotificationRequested", "NotificationSent"]);
  });

  it("fails at once with a code for an address that its mail server cannot take, and reaches it with SMTPUTF8", async () => {
    const zoe = { email: "zoë@people.example" };
    test.mails.offersSmtpUtf8 = false;
    try {
      const id = await test.notify(tenantId, mailTo(zoe));
      expect(await test.becomes(id, "Failed")).toBe("MAIL_ADDRESS_UNSUPPORTED");
      const { data } = await test.spine.ask(
        principal(tenantId, tenantScopes),
        "mutation ($input: InviteUserInput!) { inviteUser(input: $input) { invitationId } }",
        { input: { ...zoe, roleCodes: ["Viewer"] } },
      );
      const about = data?.["inviteUser"].invitationId;
      await until(async () => {
        const failures = (await test.spine.eventsOf(tenantId)).filter(({ type }) => type === "MailFailed");
        return failures.some(
          (event) => event.data["about"] === about && event.data["reason"] === "MAIL_ADDRESS_UNSUPPORTED",
        );
      });
      await test.becomes(await test.notify(tenantId, mailTo(ada)), "Sent");
    } finally {
      test.mails.offersSmtpUtf8 = true;
    }
    const sentId = await test.notify(tenantId, mailTo(zoe));
    await test.becomes(sentId, "Sent");
    expect(mailsFor(sentId)[0]?.to).toEqual(["zoë@people.example"]);
  });

  it("names the tenant in the mails of the platform, also to a stranger, and in no others", async () => {
    const id = await test.notify(tenantId, mailTo(ada, { category: "security" }));
    await test.becomes(id, "Sent");
    const { headers, parts } = readMail(mailsFor(id)[0]?.text ?? "");
    expect(headers["from"]).toBe("Tenant channels via Factory <no-reply@factory.example>");
    expect(headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(parts["text/plain"]).toContain("-- \r\nSent by Tenant channels\r\n");
    expect(parts["text/html"]).toContain("<small>Sent by Tenant channels</small>");
    test.connected.add(tenantId);
    const { data } = await test.command(await test.notify(tenantId, mailTo(ada)));
    expect(JSON.stringify(data)).not.toContain("Sent by");
  });

  it("has no header that the name of a tenant has injected", async () => {
    const hostile = await test.spine.activeTenant("hostile");
    await test.spine.admin.query("update tenants set name = $2 where tenant_id = $1", [
      decodeId("ten", hostile),
      "Factory\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>",
    ]);
    const id = await test.notify(hostile, mailTo(ada));
    await test.becomes(id, "Sent");
    const [mail] = mailsFor(id);
    const { headers, parts } = readMail(mail?.text ?? "");
    expect(headers).not.toHaveProperty("bcc");
    expect(headers["from"]).toMatch(/^"Factory Bcc: [^"]+" <no-reply@factory\.example>$/);
    expect(mail?.to).toEqual(["ada@people.example"]);
    expect(parts["text/html"]).toContain("Sent by Factory Bcc: eve@evil.example &lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("sends a template in the language of the request", async () => {
    const data = { reportName: "<Usage> & more", url: "https://factory.example/r?a=1&b=2" };
    const input = { channel: "Email", recipient: ada, templateKey: "report-ready", data, locale: "de-CH" };
    const id = await test.notify(tenantId, input);
    await test.becomes(id, "Sent");
    const text = mailsFor(id)[0]?.text.replaceAll("=\r\n", "").replaceAll("=3D", "=") ?? "";
    expect(text).toContain("Ihr Bericht <Usage> & more ist fertig");
    expect(text).toContain("Der Bericht &lt;Usage&gt; &amp; more wurde erstellt.");
    expect(text).toContain('<a href="https://factory.example/r?a=1&amp;b=2">Bericht herunterladen</a>');
  });

  it.each([
    ["an unknown template", { templateKey: "nothing" }, "REFERENCE_NOT_FOUND", "/input/templateKey"],
    [
      "a value that is missing",
      { templateKey: "report-ready", data: { url: "https://a.example" } },
      "PARAMETERS_INVALID",
      "/input/data/reportName",
    ],
    [
      "an address with a script",
      { templateKey: "report-ready", data: { reportName: "x", url: "javascript:alert(1)" } },
      "PARAMETERS_INVALID",
      "/input/data/url",
    ],
    [
      "a value that is too long",
      { templateKey: "report-ready", data: { reportName: "x".repeat(1000), url: "https://a.example" } },
      "PARAMETERS_INVALID",
      "/input/data",
    ],
  ])("refuses %s", async (_, content, code, pointer) => {
    const { refusal } = await test.ask(tenantId, { channel: "Email", recipient: ada, ...content });
    expect(refusal).toMatchObject({ code, errors: [{ pointer }] });
  });

  it("tries again with the same Message-ID while a server greylists it, and writes nothing twice", async () => {
    test.mails.behave({ reply: 450 }, { reply: 451 });
    const id = await test.notify(tenantId, mailTo(ada));
    await test.becomes(id, "Sent");
    expect(mailsFor(id)).toHaveLength(1);
    expect(await test.events(tenantId, id)).toEqual(["NotificationRequested", "NotificationSent"]);
  });

  it("fails at once where the server refuses the recipient for ever, and names no address", async () => {
    test.mails.behave({ reply: 550 });
    const id = await test.notify(tenantId, mailTo(ada));
    const reason = await test.becomes(id, "Failed");
    expect(reason).toBe("The mail server did not accept the mail: EENVELOPE 550");
    expect(JSON.stringify(await test.spine.eventsOf(tenantId))).not.toContain("ada@");
  });

  it("arrives once, with one Message-ID, from a server that hangs, is busy, greylists and leaves one after the other", async () => {
    test.mails.behave("hangs", { greeting: 421 }, { reply: 450 }, "leaves", { reply: 451 });
    const id = await test.notifyBySilentServer(tenantId, mailTo(ada));
    await test.becomes(id, "Sent");
    expect(mailsFor(id)).toHaveLength(1);
    expect(test.mails.seen.filter((messageId) => messageId === `${id}@factory.example`)).toHaveLength(2);
    expect(await test.events(tenantId, id)).toEqual(["NotificationRequested", "NotificationSent"]);
  });

  it("survives a server that hangs and one that leaves without an answer", async () => {
    test.mails.behave("hangs");
    const hung = await test.notifyBySilentServer(tenantId, mailTo(ada));
    await test.becomes(hung, "Sent");
    expect(mailsFor(hung)).toHaveLength(1);
    test.mails.behave("leaves");
    const leftId = await test.notify(tenantId, mailTo(ada));
    await test.becomes(leftId, "Sent");
    expect(test.mails.seen.filter((messageId) => messageId === `${leftId}@factory.example`)).toHaveLength(2);
  });

  it("holds up neither other channels nor other connections while the mail server hangs", async () => {
    const [first, second] = [await test.spine.activeTenant("hung-1"), await test.spine.activeTenant("hung-2")];
    // more than the sessions that begin until the others are served, however slow the machine is
    test.mails.behave(...Array<"hangs">(100).fill("hangs"));
    const hung: string[] = [];
    for (const sender of [first, second, first, second, first, second])
      hung.push(await test.notify(sender, mailTo(ada)));
    await until(async () => test.mails.hanging > 1);
    const sms = await test.notify(first, { channel: "Sms", recipient: { phone: "+41791234567" }, body: "x" });
    expect((await test.command(sms)).type).toBe("SendSms");
    test.connected.add(second);
    expect((await test.command(await test.notify(second, mailTo(ada)))).type).toBe("SendEmail");
    test.connected.clear();
    for (const id of hung) expect((await test.row(id)).status).not.toBe("Sent");
    test.mails.behave();
    test.mails.release();
    for (const id of hung) await test.isSentAtLast(id);
  });

  it("waits while integration does not answer", async () => {
    test.outages = 4;
    const id = await test.notify(tenantId, mailTo(ada));
    await test.becomes(id, "Sent");
    expect(test.outages).toBe(0);
  });

  it("sends by a connection of the tenant with SendEmail, and follows what integration reports", async () => {
    test.connected.add(tenantId);
    const id = await test.notify(tenantId, mailTo(ada));
    const { id: commandId, type, data, expirytime } = await test.command(id);
    expect([type, data, expirytime]).toMatchObject([
      "SendEmail",
      { to: ["ada@people.example"], subject: "Hello", listUnsubscribe: expect.stringMatching(/^<http:\/\/.*>$/) },
      expect.any(String),
    ]);
    expect((await test.row(id)).status).toBe("Queued");
    const stranger = await test.spine.activeTenant("stranger");
    await test.answer(stranger, "EmailSent", { commandId });
    await test.answer(tenantId, "EmailSent", { commandId });
    await test.becomes(id, "Sent");
    await test.answer(tenantId, "EmailSent", { commandId });
    await test.answer(tenantId, "EmailDelivered", { commandId });
    await test.becomes(id, "Delivered");
    const all = ["NotificationRequested", "NotificationSent", "NotificationDelivered"];
    expect(await test.events(tenantId, id)).toEqual(all);
    expect(mailsFor(id)).toEqual([]);
  });

  it.each([
    ["EmailFailed", { error: { code: "VENDOR_REFUSED", detail: "to ada@people.example" } }, "VENDOR_REFUSED"],
    ["EmailBounced", { error: { code: "ada@people.example", detail: "x" } }, "VENDOR_REFUSED"],
    ["CommandRejected", { error: { code: "COMMAND_EXPIRED", detail: "x" } }, "COMMAND_EXPIRED"],
    ["CommandDeadLettered", { error: { code: "OUTCOME_UNKNOWN", detail: "x" } }, "OUTCOME_UNKNOWN"],
  ] as const)("fails with %s", async (type, data, reason) => {
    test.connected.add(tenantId);
    const id = await test.notify(tenantId, mailTo(ada));
    const { id: commandId } = await test.command(id);
    await test.answer(tenantId, type, { commandId, data });
    expect(await test.becomes(id, "Failed")).toBe(reason);
  });

  it("leaves by the mail server of the platform where the connection was lost meanwhile", async () => {
    test.connected.add(tenantId);
    const id = await test.notify(tenantId, mailTo(ada));
    const { id: commandId } = await test.command(id);
    test.connected.clear();
    const data = { command: "SendEmail", error: { code: "REFERENCE_NOT_FOUND", detail: "x" } };
    for (let times = 0; times < 2; times += 1) await test.answer(tenantId, "CommandRejected", { commandId, data });
    await test.becomes(id, "Sent");
    expect(mailsFor(id)).toHaveLength(1);
  });

  it("fails when a bounce comes after it was sent", async () => {
    test.connected.add(tenantId);
    const id = await test.notify(tenantId, mailTo(ada));
    const { id: commandId } = await test.command(id);
    await test.answer(tenantId, "EmailSent", { commandId });
    await test.becomes(id, "Sent");
    await test.answer(tenantId, "EmailBounced", { commandId, data: { error: { code: "BOUNCED", detail: "x" } } });
    expect(await test.becomes(id, "Failed")).toBe("BOUNCED");
  });
});

describe("the channel Sms", () => {
  it("sends the title and the body with SendSms", async () => {
    const input = { channel: "Sms", recipient: { phone: "+41791234567" }, title: "Hello", body: "It is here." };
    const id = await test.notify(tenantId, input);
    const { id: commandId, type, data } = await test.command(id);
    expect([type, data]).toEqual(["SendSms", { to: "+41791234567", text: "Hello\n\nIt is here." }]);
    await test.answer(tenantId, "SmsDelivered", { commandId });
    await test.becomes(id, "Delivered");
  });

  it("fails where the tenant has no connection for it", async () => {
    const input = { channel: "Sms", recipient: { phone: "+41791234567" }, body: "It is here." };
    const id = await test.notify(tenantId, input);
    const { id: commandId } = await test.command(id);
    const data = { command: "SendSms", error: { code: "REFERENCE_NOT_FOUND", detail: "x" } };
    await test.answer(tenantId, "CommandRejected", { commandId, data });
    expect(await test.becomes(id, "Failed")).toBe("CONNECTION_MISSING");
  });

  it("shortens a text that is too long for the command, and breaks no character", async () => {
    const input = { channel: "Sms", recipient: { phone: "+41791234567" }, body: "😀".repeat(2000) };
    const { data } = await test.command(await test.notify(tenantId, input));
    const text = String(data["text"]);
    expect(text.length).toBeLessThanOrEqual(1600);
    expect(text).not.toMatch(/\p{Cs}/u);
    expect(text.endsWith("😀…")).toBe(true);
  });
});

describe("the channel Webhook", () => {
  const [activeId, otherId, pausedId] = [newId("whs"), newId("whs"), newId("whs")];
  const webhookTo = (subscriptionId: string) => ({
    ...{ channel: "Webhook", recipient: { subscriptionId }, title: "Hello", body: "It is here." },
  });

  beforeAll(() => {
    test.subscriptions.set(activeId, { status: "Active", eventType: "NotificationRequested" });
    test.subscriptions.set(otherId, { status: "Active", eventType: "TemplateExecuted" });
    test.subscriptions.set(pausedId, { status: "Paused", eventType: "NotificationRequested" });
  });

  it("is the event NotificationRequested with the webhook subscription and the content", async () => {
    const id = await test.notify(tenantId, webhookTo(activeId));
    await test.becomes(id, "Sent");
    const events = await test.spine.eventsOf(tenantId);
    const requestEvent = events.find(({ subject, type }) => subject.endsWith(id) && type === "NotificationRequested");
    expect(requestEvent?.data).toMatchObject({ subscriptionId: activeId, title: "Hello", body: "It is here." });
  });

  it.each([
    ["an unknown one", newId("whs"), "The tenant has no webhook subscription with this id."],
    ["one of another event type", otherId, "The eventType of the webhook subscription must be NotificationRequested."],
    ["a paused one", pausedId, "The webhook subscription is Paused, so nothing is sent to it. Resume it first."],
  ])("refuses %s", async (_, subscriptionId, detail) => {
    const { refusal } = await test.ask(tenantId, webhookTo(subscriptionId));
    expect(refusal).toMatchObject({
      code: "REFERENCE_NOT_FOUND",
      errors: [{ pointer: "/input/recipient/subscriptionId", code: "UNKNOWN_VALUE", detail }],
    });
  });

  it("fails when the webhook was given up", async () => {
    const id = await test.notify(tenantId, webhookTo(activeId));
    await test.becomes(id, "Sent");
    const about = { eventSubject: `notifications/${id}`, subscriptionId: activeId, failure: "Timeout" };
    await test.answer(tenantId, "WebhookDeliveryExhausted", { data: { ...about, eventType: "TemplateExecuted" } });
    await test.answer(tenantId, "WebhookDeliveryExhausted", { data: { ...about, eventType: "NotificationRequested" } });
    expect(await test.becomes(id, "Failed")).toBe("Timeout");
  });

  it("and others do not fail when another webhook with their event was given up", async () => {
    const [webhook, mail] = [
      await test.notify(tenantId, webhookTo(activeId)),
      await test.notify(tenantId, mailTo(ada)),
    ];
    for (const id of [webhook, mail]) {
      await test.becomes(id, "Sent");
      const data = { eventSubject: `notifications/${id}`, subscriptionId: otherId, eventType: "NotificationRequested" };
      await test.answer(tenantId, "WebhookDeliveryAborted", { data: { ...data, failure: "HttpStatus" } });
    }
    const last = await test.notify(tenantId, webhookTo(activeId));
    await test.becomes(last, "Sent");
    const data = {
      eventSubject: `notifications/${last}`,
      subscriptionId: activeId,
      eventType: "NotificationRequested",
    };
    await test.answer(tenantId, "WebhookDeliveryAborted", { data: { ...data, failure: "HttpStatus" } });
    await test.becomes(last, "Failed");
    expect([(await test.row(webhook)).status, (await test.row(mail)).status]).toEqual(["Sent", "Sent"]);
  });
});
