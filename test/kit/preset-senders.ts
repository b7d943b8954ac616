import { createHmac } from "node:crypto";
import type { SentDelivery } from "./vendor-senders.js";

/** A vendor's work for a preset: its secret, and a delivery with the signature that its documentation describes. */
interface PresetSender {
  /** A secret as the vendor makes it. */
  readonly secret: string;
  /** Another secret in the same form. */
  readonly otherSecret: string;
  /** `time` is in milliseconds since 1970. */
  readonly send: (secret: string, id: string, time?: number) => SentDelivery;
  /** The header that proves the delivery; undefined where the body does. */
  readonly signature?: string;
  /** The header with the time; `body` where the body has it. */
  readonly time?: string;
  /** The secret itself is sent, so that nothing covers the body. */
  readonly isToken?: true;
  readonly eventName: string;
  readonly normalizedEventType: string;
}

const json = { "content-type": "application/json" };
const hmac = (secret: string | Buffer, content: string) => createHmac("sha256", secret).update(content);
const seconds = (time: number) => String(Math.floor(time / 1000));

/** As Svix signs: the key is the base64 part after `whsec_`, the content is `<id>.<seconds>.<body>`. */
const bySvix =
  (event: object): PresetSender["send"] =>
  (secret, id, time = Date.now()) => {
    const raw = JSON.stringify(event);
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const signature = hmac(key, `${id}.${seconds(time)}.${raw}`).digest("base64");
    const headers = { "svix-id": id, "svix-timestamp": seconds(time), "svix-signature": `v1,AAAA v1,${signature}` };
    return { raw, headers: { ...json, ...headers } };
  };

const text = { secret: "8b2c1d0f9a7e6b5c4d3e2f1a", otherSecret: "0123456789abcdef01234567" };
const svix = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  otherSecret: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  signature: "svix-signature",
  time: "svix-timestamp",
};

/** By the presets' names. */
export const presetSenders: Readonly<Record<string, PresetSender>> = {
  clerk: {
    ...svix,
    send: bySvix({ type: "session.ended", object: "event", data: { id: "sess_1" }, instance_id: "ins_1" }),
    eventName: "session.ended",
    normalizedEventType: "VendorEventReceived",
  },
  resend: {
    ...svix,
    send: bySvix({ type: "email.clicked", created_at: "2026-11-28T10:00:00.000Z", data: { email_id: "e_1" } }),
    eventName: "email.clicked",
    normalizedEventType: "VendorEventReceived",
  },
  shopify: {
    ...text,
    signature: "x-shopify-hmac-sha256",
    send: (secret, id) => {
      const raw = '{"id":820982911946154508,"total_price":"199.00"}';
      const headers = {
        "x-shopify-topic": "orders/paid",
        "x-shopify-shop-domain": "a-store.myshopify.com",
        "x-shopify-webhook-id": id,
        "x-shopify-hmac-sha256": hmac(secret, raw).digest("base64"),
      };
      return { raw, headers: { ...json, ...headers } };
    },
    eventName: "orders/paid",
    normalizedEventType: "OrderPaid",
  },
  linear: {
    ...text,
    signature: "linear-signature",
    time: "body",
    send: (secret, id, time = Date.now()) => {
      const event = { action: "create", type: "Issue", organizationId: "org_1", webhookTimestamp: time };
      const raw = JSON.stringify(event);
      const signature = hmac(secret, raw).digest("hex");
      return { raw, headers: { ...json, "linear-delivery": id, "linear-signature": signature } };
    },
    eventName: "Issue.create",
    normalizedEventType: "IssueOpened",
  },
  jira: {
    ...text,
    signature: "x-hub-signature",
    send: (secret, id) => {
      const raw = JSON.stringify({ timestamp: 1_700_000_000_000, webhookEvent: "jira:issue_created", issue: {} });
      const signature = `sha256=${hmac(secret, raw).digest("hex")}`;
      return { raw, headers: { ...json, "x-atlassian-webhook-identifier": id, "x-hub-signature": signature } };
    },
    eventName: "jira:issue_created",
    normalizedEventType: "IssueOpened",
  },
  pagerduty: {
    ...text,
    signature: "x-pagerduty-signature",
    send: (secret, id) => {
      const raw = JSON.stringify({ event: { id, event_type: "incident.triggered", data: { number: 2 } } });
      const others = `v1=${hmac("the secret before", raw).digest("hex")},v2=ab`;
      const signature = `${others},v1=${hmac(secret, raw).digest("hex")}`;
      return { raw, headers: { ...json, "x-pagerduty-signature": signature } };
    },
    eventName: "incident.triggered",
    normalizedEventType: "IncidentTriggered",
  },
  meta: {
    ...text,
    signature: "x-hub-signature-256",
    send: (secret, id) => {
      const raw = JSON.stringify({ id, object: "page", entry: [{ id: "1", time: 1_700_000_000, changes: [] }] });
      return { raw, headers: { ...json, "x-hub-signature-256": `sha256=${hmac(secret, raw).digest("hex")}` } };
    },
    eventName: "page",
    normalizedEventType: "VendorEventReceived",
  },
  "microsoft-graph": {
    ...text,
    isToken: true,
    send: (secret, id) => {
      const resourceData = { "@odata.type": "#Microsoft.Graph.Message", id: "AAMkADk" };
      const notification = { subscriptionId: "s_1", clientState: secret, changeType: "created", resourceData };
      return { raw: JSON.stringify({ value: [{ ...notification, id, tenantId: "t_1" }] }), headers: json };
    },
    eventName: "#Microsoft.Graph.Message.created",
    normalizedEventType: "VendorEventReceived",
  },
  okta: {
    ...text,
    signature: "authorization",
    isToken: true,
    send: (secret, id) => {
      const events = [{ uuid: id, eventType: "user.lifecycle.create", displayMessage: "Create okta user" }];
      const raw = JSON.stringify({ eventId: "e_1", eventType: "com.okta.event_hook", data: { events } });
      return { raw, headers: { ...json, authorization: secret } };
    },
    eventName: "user.lifecycle.create",
    normalizedEventType: "UserLifecycleCreated",
  },
  zendesk: {
    ...text,
    signature: "x-zendesk-webhook-signature",
    time: "x-zendesk-webhook-signature-timestamp",
    send: (secret, id, time = Date.now()) => {
      const raw = JSON.stringify({ type: "zen:event-type:ticket.created", account_id: 7, detail: { id: "35" } });
      const at = `${new Date(time).toISOString().slice(0, 19)}Z`;
      const headers = {
        "x-zendesk-webhook-invocation-id": id,
        "x-zendesk-webhook-signature-timestamp": at,
        "x-zendesk-webhook-signature": hmac(secret, at + raw).digest("base64"),
      };
      return { raw, headers: { ...json, ...headers } };
    },
    eventName: "zen:event-type:ticket.created",
    normalizedEventType: "VendorTicketOpened",
  },
};
