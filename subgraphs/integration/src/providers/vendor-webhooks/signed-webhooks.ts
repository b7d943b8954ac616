import type { WebhookDescription } from "../provider-drivers/provider-driver.js";

/** The Svix headers, with which several vendors send (docs.svix.com, "Verifying Manually"). */
const svix = {
  kind: "standard-webhooks",
  idHeader: "svix-id",
  timestampHeader: "svix-timestamp",
  header: "svix-signature",
} as const;

const hexHmac = { kind: "hmac", algorithm: "sha256", encoding: "hex", signedContent: "{body}" } as const;
const base64Hmac = { ...hexHmac, encoding: "base64" } as const;

/** How vendors sign their deliveries' bodies, each as its documentation describes it. */
export const signedWebhooks = {
  /** clerk.com/docs, "Sync Clerk data to your app with webhooks": sent by Svix. */
  clerk: {
    scheme: svix,
    deliveryId: ["header:svix-id"],
    eventName: ["body:/type"],
    account: "body:/instance_id",
  },
  /** resend.com/docs, "Verify Webhooks Requests": sent by Svix. */
  resend: {
    scheme: svix,
    deliveryId: ["header:svix-id"],
    eventName: ["body:/type"],
  },
  /** shopify.dev, "Deliver webhooks through HTTPS": the key is the app's client secret. */
  shopify: {
    scheme: { ...base64Hmac, header: "x-shopify-hmac-sha256" },
    // the delivery's id and not X-Shopify-Event-Id, which several deliveries for one event share
    deliveryId: ["header:x-shopify-webhook-id"],
    eventName: ["header:x-shopify-topic"],
    account: "header:x-shopify-shop-domain",
    revokedEvents: ["app/uninstalled"],
  },
  /** linear.app/developers/webhooks: the only signed time is a member in the body. */
  linear: {
    scheme: { ...hexHmac, header: "linear-signature" },
    signedTime: { value: "body:/webhookTimestamp", format: "milliseconds" },
    deliveryId: ["header:linear-delivery"],
    eventName: ["body:/type"],
    action: "body:/action",
    account: "body:/organizationId",
  },
  /** developer.atlassian.com/cloud/jira/platform/webhooks, "Secure admin webhooks". The id stays in repetitions. */
  jira: {
    scheme: { ...hexHmac, header: "x-hub-signature", prefix: "sha256=" },
    deliveryId: ["header:x-atlassian-webhook-identifier"],
    eventName: ["body:/webhookEvent"],
  },
  /** developer.pagerduty.com, "Webhook Signatures": one signature for each secret during a change. */
  pagerduty: {
    scheme: { ...hexHmac, header: "x-pagerduty-signature", prefix: "v1=", separator: "comma" },
    deliveryId: ["body:/event/id"],
    eventName: ["body:/event/event_type"],
  },
  /** developers.facebook.com/docs/graph-api/webhooks/getting-started: the key is the app secret. No delivery has an id. */
  meta: {
    scheme: { ...hexHmac, header: "x-hub-signature-256", prefix: "sha256=" },
    urlTests: [{ method: "GET", when: "query:hub.mode", equals: "subscribe", answer: "query:hub.challenge" }],
    deliveryId: ["body:/id"],
    eventName: ["body:/object"],
    account: "body:/entry/0/id",
  },
  /** developer.zendesk.com/documentation/webhooks/verifying: the time is sent in ISO 8601. */
  zendesk: {
    scheme: {
      ...base64Hmac,
      header: "x-zendesk-webhook-signature",
      timestampHeader: "x-zendesk-webhook-signature-timestamp",
      timestampFormat: "iso8601",
      signedContent: "{timestamp}{body}",
    },
    deliveryId: ["header:x-zendesk-webhook-invocation-id", "body:/id"],
    eventName: ["body:/type"],
    account: "header:x-zendesk-account-id",
  },
} as const satisfies Record<string, WebhookDescription>;
