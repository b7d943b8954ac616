import { createHmac, randomUUID } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { sentCommand } from "./commands.js";
import { aConnection } from "./connections.js";
import { aCredential } from "./credentials.js";
import { rows } from "./database.js";
import { eventually } from "./eventually.js";
import { anInboundSource } from "./inbound-sources.js";
import { aProvider } from "./providers.js";
import { request } from "./request.js";
import { aVendor } from "./vendor.js";

const commands = {
  SendEmail: {
    method: "POST",
    path: "/mail",
    encoding: "json",
    body: { to: { $value: "/to" } },
    vendorId: "body:/path",
  },
  SendSms: { method: "POST", path: "/sms", encoding: "form", body: { to: { $value: "/to" } } },
  SyncContact: {
    ...{ method: "PUT", path: "/contacts", encoding: "json", body: { id: { $value: "/externalId" } } },
    ...{ vendorId: "body:/path", repeatable: true },
  },
  OpenTicket: {
    ...{ method: "POST", path: "/tickets", encoding: "json", body: { title: { $value: "/subject" } } },
    ...{ vendorId: "body:/path", url: "body:/path" },
  },
};
const capabilities = ["email.send", "sms.send", "contacts.write", "tickets.write"];

/**
 * Sends mail by three vendors: one accepts it, one rejects the credential, and one fails so that nobody knows whether
 * it has accepted it. A fourth command has no valid data. Returns a function that closes the vendors.
 */
export async function sendMail(token: string, tenantId: string): Promise<() => Promise<unknown>> {
  const [vendor, failing] = await Promise.all([aVendor(), aVendor()]);
  vendor.accepted.add("key");
  failing.behave({ status: 500 });
  const send = (data: object) =>
    sentCommand(tenantId, "SendEmail", {
      ...{ to: ["ada@people.example"], from: "me@sender.example", subject: "Hello", text: "You." },
      ...data,
    });
  const connect = async (key: string, secret: string, baseUrl: string) => {
    const { credentialRef } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: secret } });
    const driver = { commands };
    const providerId = await aProvider(token, { key, baseUrl, driver, capabilities });
    return aConnection(token, providerId, { credentialRef });
  };
  for (const [key, secret] of Object.entries({ "mail-works": "key", "mail-rejects": "wrong" })) {
    const connectionId = await connect(key, secret, vendor.baseUrl);
    await send({ connectionId });
    await sentCommand(tenantId, "SendSms", { to: "+41791234567", from: "+41440000000", text: "Hello", connectionId });
    await sentCommand(tenantId, "SyncContact", { externalId: "1", email: "ada@people.example", connectionId });
    await sentCommand(tenantId, "OpenTicket", { subject: "Hello", text: "You.", connectionId });
  }
  await send({ connectionId: await connect("mail-unknown", "key", failing.baseUrl) });
  await send({ to: [] });
  await reportOutcomes(token, tenantId, vendor.baseUrl);
  return () => Promise.all([vendor.close(), failing.close()]);
}

/** Sends a mail and a text message by a vendor that reports later whether they arrived. */
async function reportOutcomes(token: string, tenantId: string, baseUrl: string): Promise<void> {
  const scheme = { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex" };
  const outcomes = ["EmailDelivered", "EmailBounced", "SmsDelivered"];
  const reports = outcomes.map((outcome) => ({ event: outcome, outcome, commandId: "body:/ref" }));
  const webhook = { scheme, deliveryId: ["body:/event"], eventName: ["body:/type"], reports };
  const { key, secret, providerId, deliveryUrl } = await anInboundSource(token, {
    provider: { baseUrl, driver: { commands, webhook }, capabilities },
  });
  const { credentialRef } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "key" } });
  const connectionId = await aConnection(token, providerId, { credentialRef });
  const mail = { to: ["ada@people.example"], from: "me@sender.example", subject: "Hello", text: "You.", connectionId };
  const message = { to: "+41791234567", from: "+41440000000", text: "Hello", connectionId };
  const [sentMail, sentMessage] = await Promise.all([
    sentCommand(tenantId, "SendEmail", mail),
    sentCommand(tenantId, "SendSms", message),
  ]);
  const statusOf = async (id: string) =>
    (
      await rows<{ status: string }>("select status from integration.vendor_commands where command_id = $1", [
        decodeId("cmd", id),
      ])
    )[0]?.status;
  for (const { id } of [sentMail, sentMessage])
    await eventually(`the vendor of ${key} has accepted a command`, async () => (await statusOf(id)) === "Done");
  const { pathname, search } = new URL(deliveryUrl);
  for (const type of outcomes) {
    const ref = type === "SmsDelivered" ? sentMessage.id : sentMail.id;
    const raw = JSON.stringify({ event: randomUUID(), type, ref });
    const signature = createHmac("sha256", secret).update(raw).digest("hex");
    const headers = { "content-type": "application/json", "x-signature": signature };
    const { status, text } = await request(`POST ${pathname}${search}`, { raw, headers });
    if (status !== 202) throw new Error(text);
  }
}
