import { sentCommand } from "./commands.js";
import { aConnection } from "./connections.js";
import { aCredential } from "./credentials.js";
import { aProvider } from "./providers.js";
import { aVendor } from "./vendor.js";

const commands = {
  SendEmail: {
    method: "POST",
    path: "/mail",
    encoding: "json",
    body: { to: { $value: "/to" } },
    vendorId: "body:/path",
  },
};

/**
 * Sends mail by three vendors: one accepts it, one rejects the credential, and one fails so that nobody knows whether it has
 * accepted it. A fourth command has no valid data. Returns a function that closes the vendors.
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
    const providerId = await aProvider(token, { key, baseUrl, driver, capabilities: ["email.send"] });
    return aConnection(token, providerId, { credentialRef });
  };
  await send({ connectionId: await connect("mail-works", "key", vendor.baseUrl) });
  await send({ connectionId: await connect("mail-rejects", "wrong", vendor.baseUrl) });
  await send({ connectionId: await connect("mail-unknown", "key", failing.baseUrl) });
  await send({ to: [] });
  return () => Promise.all([vendor.close(), failing.close()]);
}
