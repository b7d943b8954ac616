import type { CommandTemplates } from "../provider-drivers/command-template.js";
import type { VendorReport } from "../provider-drivers/vendor-report.js";

const value = (pointer: string) => ({ $value: pointer });
const addresses = (pointer: string) => ({ $each: pointer, $as: { email: { $item: "" } } });

/** The command requests to the presets' vendors. */
export const presetCommands = {
  sendgrid: {
    SendEmail: {
      method: "POST",
      path: "/v3/mail/send",
      encoding: "json",
      body: {
        personalizations: [{ to: addresses("/to"), cc: addresses("/cc"), bcc: addresses("/bcc") }],
        from: { email: value("/from") },
        subject: value("/subject"),
        content: [
          { $when: "/text", $then: { type: "text/plain", value: value("/text") } },
          { $when: "/html", $then: { type: "text/html", value: value("/html") } },
        ],
        headers: {
          $when: "/listUnsubscribe",
          $then: {
            "List-Unsubscribe": value("/listUnsubscribe"),
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          },
        },
        custom_args: { commandId: value("/commandId") },
      },
      vendorId: "header:x-message-id",
    },
  },
  stripe: {
    ChargePayment: {
      method: "POST",
      path: "/v1/payment_intents",
      encoding: "form",
      body: {
        amount: value("/amountMinor"),
        currency: value("/currencyInLowerCase"),
        customer: value("/customerRef"),
        payment_method: value("/paymentMethodRef"),
        description: value("/description"),
        confirm: true,
        off_session: true,
        error_on_requires_action: true,
        metadata: { commandId: value("/commandId") },
      },
      vendorId: "body:/id",
      state: {
        path: "/v1/payment_intents/{vendorId}",
        value: "body:/status",
        outcomes: {
          succeeded: "PaymentCharged",
          canceled: "PaymentFailed",
          requires_payment_method: "PaymentFailed",
        },
      },
    },
    RefundPayment: {
      method: "POST",
      path: "/v1/refunds",
      encoding: "form",
      body: {
        payment_intent: value("/paymentRef"),
        amount: value("/amountMinor"),
        metadata: { commandId: value("/commandId") },
      },
      vendorId: "body:/id",
      state: {
        path: "/v1/refunds/{vendorId}",
        value: "body:/status",
        outcomes: { succeeded: "PaymentRefunded", failed: "RefundFailed", canceled: "RefundFailed" },
      },
    },
    CreateCheckoutSession: {
      method: "POST",
      path: "/v1/checkout/sessions",
      encoding: "form",
      body: {
        mode: "payment",
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: value("/currencyInLowerCase"),
              unit_amount: value("/amountMinor"),
              product_data: { name: value("/description") },
            },
          },
        ],
        customer: value("/customerRef"),
        success_url: value("/successUrl"),
        cancel_url: value("/cancelUrl"),
        client_reference_id: value("/commandId"),
      },
      vendorId: "body:/id",
      url: "body:/url",
    },
  },
  twilio: {
    SendSms: {
      method: "POST",
      path: "/2010-04-01/Accounts/{accountId}/Messages.json",
      encoding: "form",
      body: { To: value("/to"), From: value("/from"), Body: value("/text") },
      vendorId: "body:/sid",
    },
  },
  hubspot: {
    // The account needs a contact property `external_id` with unique values.
    SyncContact: {
      method: "POST",
      path: "/crm/v3/objects/contacts/batch/upsert",
      encoding: "json",
      body: {
        inputs: [
          {
            idProperty: "external_id",
            id: value("/externalId"),
            properties: {
              external_id: value("/externalId"),
              email: value("/email"),
              phone: value("/phone"),
              firstname: value("/firstName"),
              lastname: value("/lastName"),
              company: value("/company"),
            },
          },
        ],
      },
      vendorId: "body:/results/0/id",
      repeatable: true,
    },
  },
  zendesk: {
    OpenTicket: {
      method: "POST",
      path: "/api/v2/tickets.json",
      encoding: "json",
      body: {
        ticket: {
          external_id: value("/commandId"),
          subject: value("/subject"),
          comment: { body: value("/text") },
          priority: value("/priority"),
          tags: value("/tags"),
          requester: {
            $when: "/requester",
            $then: { name: value("/requester/name"), email: value("/requester/email") },
          },
        },
      },
      vendorId: "body:/ticket/id",
      url: "body:/ticket/url",
    },
  },
} as const satisfies Readonly<Record<string, CommandTemplates>>;

const payment = { commandId: "body:/data/object/metadata/commandId", vendorId: "body:/data/object/id" };
const successCondition = { value: "body:/data/object/status", equals: "succeeded" };

/** The events by which the presets' vendors report how commands ended. */
export const presetReports = {
  sendgrid: [
    { event: "delivered", outcome: "EmailDelivered", commandId: "body:/commandId" },
    { event: "bounce", outcome: "EmailBounced", commandId: "body:/commandId" },
    { event: "dropped", outcome: "EmailBounced", commandId: "body:/commandId" },
  ],
  stripe: [
    { event: "payment_intent.succeeded", outcome: "PaymentCharged", ...payment },
    { event: "payment_intent.payment_failed", outcome: "PaymentFailed", ...payment },
    { event: "payment_intent.canceled", outcome: "PaymentFailed", ...payment },
    { event: "refund.created", outcome: "PaymentRefunded", when: successCondition, ...payment },
    { event: "refund.updated", outcome: "PaymentRefunded", when: successCondition, ...payment },
    { event: "charge.refund.updated", outcome: "PaymentRefunded", when: successCondition, ...payment },
    { event: "refund.failed", outcome: "RefundFailed", ...payment },
  ],
  twilio: [
    { event: "message.delivered", outcome: "SmsDelivered", vendorId: "body:/MessageSid" },
    { event: "message.undelivered", outcome: "SmsFailed", vendorId: "body:/MessageSid" },
    { event: "message.failed", outcome: "SmsFailed", vendorId: "body:/MessageSid" },
  ],
} as const satisfies Readonly<Record<string, readonly VendorReport[]>>;
