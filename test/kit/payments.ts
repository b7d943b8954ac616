import { createHmac, randomUUID } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { sentCommand } from "./commands.js";
import { aConnection } from "./connections.js";
import { aCredential } from "./credentials.js";
import { rows } from "./database.js";
import { eventually } from "./eventually.js";
import { anInboundSource } from "./inbound-sources.js";
import { request } from "./request.js";
import { aVendor } from "./vendor.js";

const call = (path: string, body: object) => ({ method: "POST", path, encoding: "json", body, vendorId: "body:/id" });
const commands = {
  ChargePayment: call("/payments", { amount: { $value: "/amountMinor" } }),
  RefundPayment: call("/refunds", { payment: { $value: "/paymentRef" } }),
  CreateCheckoutSession: { ...call("/pages", { amount: { $value: "/amountMinor" } }), url: "body:/url" },
};

const statusOf = async (id: string) => {
  const [row] = await rows<{ status: string }>("select status from integration.vendor_commands where command_id = $1", [
    decodeId("cmd", id),
  ]);
  return row?.status;
};

/**
 * Makes a page for payments, charges two payments and refunds the first. The second one fails. The first one may be for
 * a plan subscription.
 */
export async function moveMoney(
  token: string,
  tenantId: string,
  planSubscriptionId?: string,
): Promise<() => Promise<unknown>> {
  const vendor = await aVendor();
  vendor.behave({ status: 200, body: '{"id":"pay-1","url":"https://pay.vendor.example/1"}' });
  const scheme = { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex" };
  const outcomes = ["PaymentCharged", "PaymentFailed", "PaymentRefunded"];
  const reports = outcomes.map((outcome) => ({ event: outcome, outcome, commandId: "body:/ref" }));
  const driver = {
    ...{ commands, idempotencyHeader: "idempotency-key" },
    webhook: { scheme, deliveryId: ["body:/event"], eventName: ["body:/type"], reports },
  };
  const { secret, providerId, deliveryUrl } = await anInboundSource(token, {
    provider: {
      ...{ baseUrl: vendor.baseUrl, driver },
      capabilities: ["payments.charge", "payments.refund", "payments.checkout"],
    },
  });
  const { credentialRef } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "key" } });
  const connectionId = await aConnection(token, providerId, { credentialRef });
  const money = { amountMinor: 1999, currency: "CHF", connectionId };
  const page = { description: "A month", successUrl: "https://shop.example/a", cancelUrl: "https://shop.example/b" };
  await sentCommand(tenantId, "CreateCheckoutSession", { ...money, ...page });
  const [charge, failedCharge, refund] = await Promise.all([
    sentCommand(tenantId, "ChargePayment", { ...money, planSubscriptionId, customerRef: "customer-42" }),
    sentCommand(tenantId, "ChargePayment", { ...money, customerRef: "customer-43" }),
    sentCommand(tenantId, "RefundPayment", { paymentRef: "pay-1", connectionId }),
  ]);
  const { pathname, search } = new URL(deliveryUrl);
  const ids = { PaymentCharged: charge.id, PaymentFailed: failedCharge.id, PaymentRefunded: refund.id };
  for (const [type, ref] of Object.entries(ids)) {
    await eventually("the vendor has accepted a command", async () => (await statusOf(ref)) === "Awaited");
    const raw = JSON.stringify({ event: randomUUID(), type, ref });
    const signature = createHmac("sha256", secret).update(raw).digest("hex");
    const headers = { "content-type": "application/json", "x-signature": signature };
    const { status, text } = await request(`POST ${pathname}${search}`, { raw, headers });
    if (status !== 202) throw new Error(text);
  }
  return () => vendor.close();
}
