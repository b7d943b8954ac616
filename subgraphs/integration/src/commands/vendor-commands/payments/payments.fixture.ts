import { createHmac } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { IntegrationCaller } from "../../../integration.fixture.js";
import { aCommandConnection } from "../vendor-commands.fixture.js";

const charge = {
  method: "POST",
  path: "/payments",
  encoding: "json",
  body: {
    amount: { $value: "/amountMinor" },
    currency: { $value: "/currencyInLowerCase" },
    customer: { $value: "/customerRef" },
    ref: { $value: "/commandId" },
  },
  vendorId: "body:/id",
  state: {
    path: "/payments/{vendorId}",
    value: "body:/state",
    outcomes: { paid: "PaymentCharged", declined: "PaymentFailed" },
  },
};
const refund = {
  method: "POST",
  path: "/refunds",
  encoding: "json",
  body: { payment: { $value: "/paymentRef" }, amount: { $value: "/amountMinor" } },
  vendorId: "body:/id",
  state: { path: "/refunds/{vendorId}", value: "body:/state", outcomes: { done: "PaymentRefunded" } },
};
const checkout = {
  method: "POST",
  path: "/pages",
  encoding: "json",
  body: { amount: { $value: "/amountMinor" }, back: { $value: "/successUrl" } },
  vendorId: "body:/id",
  url: "body:/url",
};

/** The driver for a payment vendor, which reports by deliveries. */
export const paymentDriver = {
  idempotencyHeader: "Idempotency-Key",
  commands: { ChargePayment: charge, RefundPayment: refund, CreateCheckoutSession: checkout },
  webhook: {
    scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex", signedContent: "{body}" },
    deliveryId: ["body:/event"],
    eventName: ["body:/type"],
    reports: [
      { event: "payment.paid", outcome: "PaymentCharged", vendorId: "body:/id", commandId: "body:/ref" },
      { event: "payment.declined", outcome: "PaymentFailed", vendorId: "body:/id", commandId: "body:/ref" },
      {
        ...{ event: "refund.changed", outcome: "PaymentRefunded", vendorId: "body:/id" },
        when: { value: "body:/state", equals: "done" },
      },
      {
        ...{ event: "refund.changed", outcome: "RefundFailed", vendorId: "body:/id" },
        when: { value: "body:/state", equals: "failed" },
      },
    ],
  },
};

const capabilities = ["payments.charge", "payments.refund", "payments.checkout"];

/** A connection to a payment vendor. */
export interface PaymentConnection {
  readonly connectionId: string;
  readonly providerId: string;
  /** Sends a signed delivery as the vendor does, and returns its id. */
  readonly report: (body: object) => Promise<string>;
}

/** Connects a payment vendor whose deliveries are accepted. */
export async function aPaymentConnection(
  fixture: IntegrationCaller,
  principal: Principal,
  baseUrl: string,
  driver: object = paymentDriver,
): Promise<PaymentConnection> {
  const { connectionId, providerId, key } = await aCommandConnection(fixture, principal, {
    ...{ capabilities, baseUrl, driver },
  });
  const run = async (source: string, input: object) => {
    const { data, errors } = await fixture.run(principal, source, { input });
    if (errors) throw errors[0];
    return data;
  };
  const [name, secret] = [newId("crd").slice(4), newId("evt")];
  await run("mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
    ...{ name, kind: "VendorWebhookSecret", secret: { secret } },
  });
  await run(
    "mutation ($input: CreateWebhookSubscriptionInput!) { createWebhookSubscription(input: $input) { subscriptionId } }",
    { direction: "Inbound", providerId, signingSecretRef: `secret://${name}` },
  );
  return {
    connectionId,
    providerId,
    report: async (report) => {
      const body = Buffer.from(JSON.stringify({ event: newId("evt"), ...report }));
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      const data = await run(
        "mutation ($input: IngestWebhookDeliveryInput!) { ingestWebhookDelivery(input: $input) { deliveryId } }",
        {
          ...{ providerKey: key, body: body.toString("base64"), path: `/webhooks/deliveries/${key}` },
          headers: [
            { name: "content-type", value: "application/json" },
            { name: "x-signature", value: signature },
          ],
        },
      );
      return data.ingestWebhookDelivery.deliveryId;
    },
  };
}
