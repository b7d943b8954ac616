import type { WebhookDescription } from "../provider-drivers/provider-driver.js";

/** Vendors that send the secret itself, and test the URL before they use it. */
export const tokenWebhooks = {
  /**
   * learn.microsoft.com/graph, "Receive change notifications through webhooks": the secret is the subscription's
   * `clientState`, which each notification has. The URL is tested by POST with `validationToken`.
   */
  "microsoft-graph": {
    scheme: { kind: "token", value: "body:/clientState" },
    urlTests: [{ method: "POST", answer: "query:validationToken" }],
    events: "body:/value",
    deliveryId: ["body:/id"],
    eventName: ["body:/lifecycleEvent", "body:/resourceData/@odata.type", "text:notification"],
    action: "body:/changeType",
    account: "body:/tenantId",
  },
  /**
   * developer.okta.com/docs/concepts/event-hooks: the secret is the Authorization header's value. The URL is tested by
   * GET, and the answer is a JSON member.
   */
  okta: {
    scheme: { kind: "token", header: "authorization" },
    urlTests: [{ method: "GET", answer: "header:x-okta-verification-challenge", member: "verification" }],
    events: "body:/data/events",
    deliveryId: ["body:/uuid"],
    eventName: ["body:/eventType"],
  },
} as const satisfies Record<string, WebhookDescription>;
