import { createHmac } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { aVendorServer, type VendorServer } from "../../connections/vendor-calls/vendor.fixture.js";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import { aCommand, aCommandConnection, answersTo } from "./vendor-commands.fixture.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let principal: Principal;

beforeAll(async () => {
  [fixture, vendor] = await Promise.all([sharedIntegration(), aVendorServer()]);
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.answer = () => ({ status: 202, body: '{"id":"m-1"}' });
});

afterAll(async () => {
  await fixture.close();
  await vendor.close();
});

const request = {
  method: "POST",
  path: "/send",
  encoding: "json",
  body: { to: { $value: "/to" } },
  vendorId: "body:/id",
};
const webhook = {
  scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex", signedContent: "{body}" },
  deliveryId: ["body:/event"],
  eventName: ["body:/type"],
  reports: [
    { event: "arrived", outcome: "EmailDelivered", vendorId: "body:/mail/id" },
    { event: "bounced", outcome: "EmailBounced", commandId: "body:/ref" },
    { event: "sms.arrived", outcome: "SmsDelivered", vendorId: "body:/mail/id" },
    { event: "sms.failed", outcome: "SmsFailed", vendorId: "body:/mail/id" },
    { event: "delivered", outcome: "EmailDelivered", commandId: "body:/ref" },
    { event: "sms.undelivered", outcome: "SmsFailed", commandId: "body:/ref" },
  ],
};

const createCredential =
  "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }";
const createConnection =
  "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }";
const createSubscription =
  "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }";

async function run(source: string, input: object): Promise<Record<string, unknown>> {
  const { data, errors } = await fixture.run(principal, source, { input });
  if (errors) throw errors[0];
  return Object.values(data)[0] as Record<string, unknown>;
}

interface Reporter {
  readonly key: string;
  readonly secret: string;
  readonly providerId: string;
}

/** A connection whose vendor reports how commands end. */
async function aReporter(baseUrl = vendor.origin): Promise<Reporter> {
  const secret = newId("evt");
  const connection = await aCommandConnection(fixture, principal, {
    ...{ capabilities: ["email.send", "sms.send"], baseUrl },
    ...{
      driver: { commands: { SendEmail: request, SendSms: request }, webhook },
      configuration: { from: "a@b.example" },
    },
  });
  const name = newId("crd").slice(4);
  await run(createCredential, { name, kind: "VendorWebhookSecret", secret: { secret } });
  const signingSecretRef = `secret://${name}`;
  await run(createSubscription, { direction: "Inbound", providerId: connection.providerId, signingSecretRef });
  return { key: connection.key, secret, providerId: connection.providerId };
}

/** Sends a signed delivery as the vendor does, and returns its id. */
async function reported({ key, secret }: Pick<Reporter, "key" | "secret">, body: object): Promise<string> {
  const bytes = Buffer.from(JSON.stringify({ event: newId("evt"), ...body }));
  const { data, errors } = await fixture.run(
    principal,
    "mutation ($input: IngestWebhookDeliveryInput!) { ingestWebhookDelivery(input: $input) { deliveryId } }",
    {
      input: {
        providerKey: key,
        headers: [
          { name: "content-type", value: "application/json" },
          { name: "x-signature", value: createHmac("sha256", secret).update(bytes).digest("hex") },
        ],
        body: bytes.toString("base64"),
        path: `/webhooks/deliveries/${key}`,
      },
    },
  );
  if (errors) throw errors[0];
  return data.ingestWebhookDelivery.deliveryId;
}

async function sent(type: "SendEmail" | "SendSms" = "SendEmail", more: object = {}): Promise<CommandEnvelope> {
  const data = {
    SendEmail: { to: ["ada@people.example"], subject: "Hi", text: "x" },
    SendSms: { to: "+41791234567", text: "x" },
  };
  const command = aCommand(principal, type, { ...data[type], ...more });
  await fixture.bus.publish([command]);
  return command;
}

const whenEnded = (deliveryId: string) =>
  eventually(async () => {
    const [row] = await fixture.rows(
      `select from integration.outbox where envelope->>'subject' = $1 and envelope->>'type' like 'WebhookDeliveryProcessed'`,
      `deliveries/${deliveryId}`,
    );
    return row && true;
  });

describe("the report of a vendor", () => {
  it("tells that a mail has arrived, in the trace and correlation of the command", async () => {
    const reporter = await aReporter();
    const command = await sent();
    await answersTo(fixture, command);
    const deliveryId = await reported(reporter, { type: "arrived", mail: { id: "m-1" } });
    const [, answer] = await answersTo(fixture, command, 2);
    expect(answer).toMatchObject({
      type: "EmailDelivered",
      ...{ causationid: command.id, correlationid: command.correlationid, traceid: command.traceid },
      data: { commandId: command.id, vendorId: "m-1", deliveryId },
    });
  });

  it("tells that a mail has bounced, by the id of the command", async () => {
    const reporter = await aReporter();
    const command = await sent();
    await answersTo(fixture, command);
    await reported(reporter, { type: "bounced", ref: command.id });
    const [, answer] = await answersTo(fixture, command, 2);
    expect(answer).toMatchObject({ type: "EmailBounced", data: { error: { code: "VENDOR_REFUSED" } } });
  });

  it.each([
    ["sms.arrived", "SmsDelivered"],
    ["sms.failed", "SmsFailed"],
  ])("%s tells that a text message is %s", async (type, outcome) => {
    const reporter = await aReporter();
    vendor.answer = () => ({ status: 200, body: '{"id":"s-1"}' });
    const command = await sent("SendSms");
    await answersTo(fixture, command);
    await reported(reporter, { type, mail: { id: "s-1" } });
    const [, answer] = await answersTo(fixture, command, 2);
    expect(answer).toMatchObject({ type: outcome, data: { vendorId: "s-1" } });
  });

  it("is for the command of its kind where the vendor gave one id to two things", async () => {
    const reporter = await aReporter();
    await answersTo(fixture, await sent("SendSms"));
    const command = await sent();
    await answersTo(fixture, command);
    await reported(reporter, { type: "arrived", mail: { id: "m-1" } });
    const [, answer] = await answersTo(fixture, command, 2);
    expect(answer).toMatchObject({ type: "EmailDelivered", data: { commandId: command.id, vendorId: "m-1" } });
  });

  it.each([
    ["SendEmail", "delivered", "EmailDelivered"],
    ["SendSms", "sms.undelivered", "SmsFailed"],
  ] as const)("tells the outcome of %s, which was given up without it", async (commandType, type, outcome) => {
    const reporter = await aReporter();
    vendor.answer = () => ({ status: 500 });
    const command = await sent(commandType);
    const [givenUp] = await answersTo(fixture, command);
    expect(givenUp).toMatchObject({ type: "CommandDeadLettered", data: { error: { code: "OUTCOME_UNKNOWN" } } });
    const deliveryId = await reported(reporter, { type, ref: command.id });
    const [, answer] = await answersTo(fixture, command, 2);
    expect(answer).toMatchObject({ type: outcome, data: { commandId: command.id, vendorId: null, deliveryId } });
  });

  it("may be faster than the answer of the vendor", async () => {
    const reporter = await aReporter();
    let early: Promise<string> | undefined;
    vendor.answer = ({ path }) => {
      if (path === "/send") early ??= reported(reporter, { type: "arrived", mail: { id: "m-1" } });
      return { status: 202, body: '{"id":"m-1"}' };
    };
    const command = await sent();
    expect((await answersTo(fixture, command, 2)).map(({ type }) => type)).toEqual(["EmailSent", "EmailDelivered"]);
    await early;
  });

  it("may be minutes faster than the answer of the vendor", async () => {
    let answer: (() => void) | undefined;
    vendor.serve("/slow", (_, response) => {
      answer = () => response.writeHead(202).end('{"id":"m-1"}');
    });
    const reporter = await aReporter(`${vendor.origin}/slow`);
    const command = await sent();
    await eventually(() => answer);
    const deliveryId = await reported(reporter, { type: "arrived", mail: { id: "m-1" } });
    const hasTried = (attempts: number) =>
      eventually(async () => {
        const [row] = await fixture.rows<{ status: string }>(
          "select status from integration.webhook_deliveries where delivery_id = $1 and attempts = $2",
          ...[decodeId("whd", deliveryId), attempts],
        );
        return row?.status;
      });
    const makeDue = (attempts: number) =>
      fixture.rows(
        "update integration.webhook_deliveries set attempts = $2, next_attempt_at = now() where delivery_id = $1",
        ...[decodeId("whd", deliveryId), attempts],
      );
    expect(await hasTried(1)).toBe("Failed");
    await makeDue(3);
    expect(await hasTried(4)).toBe("Failed");
    answer?.();
    await answersTo(fixture, command);
    await makeDue(4);
    expect((await answersTo(fixture, command, 2)).map(({ type }) => type)).toEqual(["EmailSent", "EmailDelivered"]);
  });

  it("says nothing when the secret of an outbound subscription has signed it, which its receiver knows", async () => {
    const reporter = await aReporter();
    const command = await sent();
    await answersTo(fixture, command);
    const [name, secret] = [newId("crd").slice(4), `whsec_${Buffer.alloc(32, reporter.key).toString("base64")}`];
    await run(createCredential, { name, kind: "WebhookSigning", secret: { signingSecret: secret } });
    const outbound = { eventType: "TemplateRegistered", endpointUrl: "http://127.0.0.1:9/" };
    await run(createSubscription, { ...outbound, signingSecretRef: `secret://${name}` });
    const forgedReport = { type: "bounced", ref: command.id };
    const deliveryId = await eventually(() => reported({ ...reporter, secret }, forgedReport).catch(() => undefined));
    await whenEnded(deliveryId);
    await reported(reporter, { type: "arrived", mail: { id: "m-1" } });
    expect((await answersTo(fixture, command, 2)).map(({ type }) => type)).toEqual(["EmailSent", "EmailDelivered"]);
  });

  it("says nothing about commands of a connection with another secret, which is that of another account", async () => {
    const { key, providerId } = await aReporter();
    const aSecret = async () => {
      const [name, secret] = [newId("crd").slice(4), newId("evt")];
      await run(createCredential, { name, kind: "VendorWebhookSecret", secret: { secret } });
      return { secret, webhookSecretRef: `secret://${name}` };
    };
    const connect = async (webhookSecretRef: string) => {
      const configuration = { from: "a@b.example", webhookSecretRef };
      const input = { providerId, displayName: "Mail", authMode: "None", configuration };
      return (await run(createConnection, input))["connectionId"];
    };
    const [ownSecret, other] = [await aSecret(), await aSecret()];
    const connectionId = await connect(ownSecret.webhookSecretRef);
    await connect(ownSecret.webhookSecretRef);
    await connect(other.webhookSecretRef);
    const command = await sent("SendEmail", { connectionId });
    await answersTo(fixture, command);
    const sendReport = ({ secret }: { secret: string }, body: object) =>
      eventually(() => reported({ key, secret }, body).catch(() => undefined));
    await whenEnded(await sendReport(other, { type: "bounced", ref: command.id }));
    await whenEnded(await sendReport(ownSecret, { type: "arrived", mail: { id: "m-1" } }));
    expect((await answersTo(fixture, command, 2)).map(({ type }) => type)).toEqual(["EmailSent", "EmailDelivered"]);
  });

  it("says nothing about commands of other providers, tenants and types", async () => {
    const ownReporter = await aReporter();
    const command = await sent();
    await answersTo(fixture, command);
    const other = await aReporter();
    const ofOther = await reported(other, { type: "arrived", mail: { id: "m-1" } });
    const ofOtherType = await reported(ownReporter, { type: "sms.arrived", mail: { id: "m-1" } });
    const unknown = await reported(ownReporter, { type: "bounced", ref: newId("cmd") });
    principal = aPrincipal();
    const stranger = await aReporter();
    const ofStranger = await reported(stranger, { type: "bounced", ref: command.id });
    for (const deliveryId of [ofOther, ofOtherType, unknown, ofStranger]) await whenEnded(deliveryId);
    expect((await answersTo(fixture, command)).map(({ type }) => type)).toEqual(["EmailSent"]);
  });
});
