import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { aMailServer, type MailServerFixture } from "../../connections/vendor-calls/smtp/mail-server.fixture.js";
import { aVendorServer, type VendorServer } from "../../connections/vendor-calls/vendor.fixture.js";
import { aPrincipal, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import { aCommand, aCommandConnection, answersTo } from "./vendor-commands.fixture.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let mailServer: MailServerFixture;
let principal: Principal;

beforeAll(async () => {
  [fixture, vendor, mailServer] = await Promise.all([sharedIntegration(), aVendorServer(), aMailServer()]);
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.requests.length = 0;
  vendor.answer = () => ({ status: 202, body: '{"message":{"id":"m-1"}}' });
});

afterAll(async () => {
  await fixture.close();
  await Promise.all([vendor.close(), mailServer.close()]);
});

const capabilities = ["email.send"];
const template = {
  method: "POST",
  path: "/accounts/{accountId}/messages",
  encoding: "json",
  body: {
    to: { $value: "/to" },
    from: { $value: "/from" },
    subject: { $value: "/subject" },
    ref: { $value: "/commandId" },
  },
  vendorId: "body:/message/id",
};
const overHttp = (driver: object = {}, baseUrl = `${vendor.origin}/v1`) =>
  aCommandConnection(fixture, principal, {
    ...{ capabilities, baseUrl, driver: { commands: { SendEmail: template }, ...driver } },
    configuration: { accountId: "acme/../x", from: "factory@sender.example" },
  });
const overSmtp = () =>
  aCommandConnection(fixture, principal, {
    ...{ capabilities, configuration: { from: "factory@sender.example" } },
    driver: { smtp: { host: "127.0.0.1", port: mailServer.port, security: "none" } },
  });
const mail = { to: ["ada@people.example"], subject: 'Hi "}', text: "Hello" };

async function sent(
  data: Record<string, unknown> = mail,
  expiresAt?: Date,
  type: VendorCommandType = "SendEmail",
): Promise<CommandEnvelope> {
  const command = aCommand(principal, type, data, expiresAt);
  await fixture.bus.publish([command]);
  return command;
}

const answerTo = async (command: CommandEnvelope) => (await answersTo(fixture, command))[0];

describe("a command to send mail", () => {
  it("becomes the request of the driver, and is answered by EmailSent with the vendor's id", async () => {
    const { connectionId, providerId } = await overHttp({ idempotencyHeader: "Idempotency-Key" });
    const command = await sent();
    const answer = await answerTo(command);
    expect(answer).toMatchObject({
      type: "EmailSent",
      ...{ causationid: command.id, correlationid: command.correlationid, traceid: command.traceid },
      ...{ actorid: principal.subject, tenantid: principal.tenantId },
      data: { commandId: command.id, connectionId, providerId, vendorId: "m-1" },
    });
    const [request, ...others] = vendor.requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      ...{ method: "POST", path: "/v1/accounts/acme%2F..%2Fx/messages" },
      headers: { "idempotency-key": command.id, "content-type": "application/json" },
    });
    expect(JSON.parse(request?.body ?? "")).toEqual({
      ...{ to: mail.to, from: "factory@sender.example", subject: mail.subject, ref: command.id },
    });
    const [row] = await fixture.rows(
      `select status, vendor_reference, ciphertext, run_id = $2 as is_of_run from integration.vendor_commands where command_id = $1`,
      decodeId("cmd", command.id),
      decodeId("run", String(answer?.data["runId"])),
    );
    expect(row).toEqual({ status: "Done", vendor_reference: "m-1", ciphertext: null, is_of_run: true });
  });

  it("is sent by the mail server of the provider, with a Message-ID of the command", async () => {
    await overSmtp();
    const command = await sent();
    const messageId = `<${command.id}@sender.example>`;
    expect(await answerTo(command)).toMatchObject({
      type: "EmailSent",
      data: { vendorId: messageId, refusedRecipients: 0 },
    });
    const ownMails = mailServer.received.filter(({ text }) => text.includes(messageId));
    expect(ownMails).toEqual([expect.objectContaining({ from: "factory@sender.example", to: mail.to })]);
  });

  it("has its effect once, however often it comes", async () => {
    await overHttp();
    const command = await sent();
    await answerTo(command);
    // the bus stores an id once, so another delivery is what a consumer sees after a crash
    await fixture.rows("delete from bus.messages where envelope->>'id' = $1", command.id);
    await fixture.bus.publish([command]);
    await answerTo(await sent());
    expect(vendor.requests.filter(({ body }) => body.includes(command.id))).toHaveLength(1);
    expect(await answersTo(fixture, command)).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>, Date | undefined, string]>([
    ["data that breaks the schema", { ...mail, to: ["nobody"] }, undefined, "VALIDATION_FAILED"],
    ["no content", { to: mail.to, subject: "x" }, undefined, "VALIDATION_FAILED"],
    ["members that are not supported", { ...mail, attachmentsRef: "x" }, undefined, "VALIDATION_FAILED"],
    ["a line break in the subject", { ...mail, subject: "a\r\nBcc: b@c.example" }, undefined, "VALIDATION_FAILED"],
    ["a connection of nobody", { ...mail, connectionId: newId("con") }, undefined, "REFERENCE_NOT_FOUND"],
    ["a time in the past", mail, new Date(Date.now() - 1000), "COMMAND_EXPIRED"],
  ])("is rejected with %s", async (_, data, expiresAt, code) => {
    await overHttp();
    const command = await sent(data, expiresAt);
    expect(await answersTo(fixture, command)).toEqual([
      expect.objectContaining({
        type: "CommandRejected",
        data: { commandId: command.id, command: "SendEmail", error: { code, detail: expect.any(String) } },
      }),
    ]);
    expect(vendor.requests).toEqual([]);
  });

  it("is rejected without a connection of the tenant that can carry it out", async () => {
    const other = aPrincipal();
    await overHttp();
    principal = other;
    await aCommandConnection(fixture, principal, { capabilities, baseUrl: vendor.origin });
    const answer = await answerTo(await sent());
    expect(answer).toMatchObject({ type: "CommandRejected", data: { error: { code: "REFERENCE_NOT_FOUND" } } });
  });

  it("fails when the vendor refuses it, and is not repeated", async () => {
    await overHttp();
    vendor.answer = () => ({ status: 400, body: "secret of the vendor" });
    const answer = await answerTo(await sent());
    expect(answer).toMatchObject({ type: "EmailFailed", data: { error: { code: "VENDOR_REFUSED" } } });
    expect(JSON.stringify(answer)).not.toContain("secret of");
    expect(vendor.requests).toHaveLength(1);
  });

  it("is given up when the vendor without idempotency keys may have carried it out", async () => {
    await overHttp();
    vendor.answer = () => ({ status: 500 });
    const answer = await answerTo(await sent());
    expect(answer).toMatchObject({
      type: "CommandDeadLettered",
      data: { command: "SendEmail", error: { code: "OUTCOME_UNKNOWN" } },
    });
    expect(vendor.requests).toHaveLength(1);
  });

  it("is repeated with the same key where the vendor has idempotency keys", async () => {
    await overHttp({ idempotencyHeader: "Idempotency-Key" });
    let calls = 0;
    vendor.answer = () => ({ status: ++calls < 3 ? 502 : 200 });
    const command = await sent();
    expect(await answerTo(command)).toMatchObject({ type: "EmailSent", data: { vendorId: null } });
    expect(new Set(vendor.requests.map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set([command.id]));
    expect(vendor.requests).toHaveLength(3);
  });

  it("keeps its content sealed while it waits", async () => {
    const { connectionId } = await overHttp({}, "http://127.0.0.1:1");
    const command = await sent({ ...mail, connectionId, text: "a private matter" });
    const run = () =>
      fixture.rows<{ status: string }>(
        `select run.status, run::text as row, command::text as command from integration.vendor_commands command
         join integration.runs run using (tenant_id, run_id) where command_id = $1`,
        decodeId("cmd", command.id),
      );
    let [row] = await run();
    while (row?.status !== "RetryScheduled") {
      await new Promise((resolve) => setTimeout(resolve, 20));
      [row] = await run();
    }
    expect(JSON.stringify(row)).not.toContain("a private matter");
    expect(JSON.stringify(row)).not.toContain(Buffer.from("a private matter").toString("hex"));
  });
});

describe("a command to send a text message", () => {
  const overPreset = (preset: string) =>
    aCommandConnection(fixture, principal, {
      ...{ preset, capabilities: ["sms.send"], baseUrl: vendor.origin, authMode: "Basic", kind: "Basic" },
      secret: { username: "account", password: "secret" },
      configuration: { accountId: "AC1", from: "+41440000000" },
    });

  it("is the form that the preset of a vendor describes", async () => {
    await overPreset("twilio");
    vendor.answer = () => ({ status: 201, body: '{"sid":"SM1"}' });
    const command = await sent({ to: "+41791234567", text: "50 % off & more" }, undefined, "SendSms");
    expect(await answerTo(command)).toMatchObject({ type: "SmsSent", data: { vendorId: "SM1" } });
    expect(vendor.requests.at(-1)).toMatchObject({
      path: "/2010-04-01/Accounts/AC1/Messages.json",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "To=%2B41791234567&From=%2B41440000000&Body=50+%25+off+%26+more",
    });
  });

  it.each(["0791234567", "+0791234567", "+4179123456789012"])("is rejected with the number %s", async (to) => {
    const answer = await answerTo(await sent({ to, text: "x" }, undefined, "SendSms"));
    expect(answer).toMatchObject({ type: "CommandRejected", data: { error: { code: "VALIDATION_FAILED" } } });
  });

  it("fails when the vendor refuses it", async () => {
    await overPreset("twilio");
    vendor.answer = () => ({ status: 400 });
    const answer = await answerTo(await sent({ to: "+41791234567", text: "x" }, undefined, "SendSms"));
    expect(answer).toMatchObject({ type: "SmsFailed", data: { error: { code: "VENDOR_REFUSED" } } });
  });
});
