import { signedWebhooks } from "./signed-webhooks.js";
import { tokenWebhooks } from "./token-webhooks.js";

const common = { apiClient: "http-json", capabilities: ["webhooks.receive"], baseUrl: null } as const;

/** The presets for vendors whose deliveries are received. How they are called is left to the tenant's driver. */
export const webhookPresets = [
  {
    ...common,
    name: "clerk",
    displayName: "Clerk",
    category: "Identity",
    authModel: "BearerToken",
    driver: { webhook: signedWebhooks.clerk },
  },
  {
    ...common,
    name: "resend",
    displayName: "Resend",
    category: "Communication",
    authModel: "BearerToken",
    driver: { webhook: signedWebhooks.resend },
  },
  {
    ...common,
    name: "shopify",
    displayName: "Shopify",
    category: "Commerce",
    authModel: "ApiKey",
    driver: { webhook: signedWebhooks.shopify },
  },
  {
    ...common,
    name: "linear",
    displayName: "Linear",
    category: "Other",
    authModel: "ApiKey",
    driver: { webhook: signedWebhooks.linear },
  },
  {
    ...common,
    name: "jira",
    displayName: "Jira",
    category: "Other",
    authModel: "Basic",
    driver: { webhook: signedWebhooks.jira },
  },
  {
    ...common,
    name: "pagerduty",
    displayName: "PagerDuty",
    category: "Support",
    authModel: "ApiKey",
    driver: { webhook: signedWebhooks.pagerduty },
  },
  {
    ...common,
    name: "meta",
    displayName: "Meta",
    category: "Communication",
    authModel: "BearerToken",
    driver: { webhook: signedWebhooks.meta },
  },
  {
    ...common,
    name: "microsoft-graph",
    displayName: "Microsoft Graph",
    category: "Communication",
    authModel: "OAuth2",
    driver: { webhook: tokenWebhooks["microsoft-graph"] },
  },
  {
    ...common,
    name: "okta",
    displayName: "Okta",
    category: "Identity",
    authModel: "ApiKey",
    driver: { webhook: tokenWebhooks.okta },
  },
] as const;
