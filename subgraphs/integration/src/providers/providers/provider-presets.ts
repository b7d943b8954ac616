import type { AuthModel } from "@factory/schema/vocabularies/connections";
import type { ProviderCategory } from "@factory/schema/vocabularies/providers";
import type { ProviderDriver, WebhookDescription } from "../provider-drivers/provider-driver.js";
import { webhookPresets } from "../vendor-webhooks/webhook-presets.js";
import { businessPresets } from "./business-presets.js";
import { communicationPresets } from "./communication-presets.js";
import { presetCommands, presetReports } from "./preset-commands.js";

/**
 * The platform's knowledge about a vendor. It is not a provider: it takes no key, emits no event, appears in no search.
 */
export interface ProviderPreset {
  readonly name: string;
  readonly displayName: string;
  readonly category: ProviderCategory;
  readonly authModel: AuthModel;
  readonly apiClient: string;
  readonly capabilities: readonly string[];
  readonly baseUrl: string | null;
  readonly driver: ProviderDriver;
}

const apiClient = "http-json";

/** A delivery's signature and body as the specification shows them. */
const specifiedWebhook: WebhookDescription = {
  scheme: {
    kind: "hmac",
    algorithm: "sha256",
    header: "x-hub-signature-256",
    encoding: "hex",
    prefix: "sha256=",
    signedContent: "{body}",
  },
  deliveryId: ["body:/providerDeliveryId"],
  eventName: ["body:/eventName"],
};

/** The platform's presets, by their names. */
export const providerPresets: readonly ProviderPreset[] = [
  {
    name: "github",
    displayName: "GitHub",
    category: "SourceControl",
    authModel: "BearerToken",
    apiClient,
    capabilities: ["repositories.read", "repositories.write", "pull-requests.write", "webhooks.receive"],
    baseUrl: "https://api.github.com",
    driver: {
      probe: { method: "GET", path: "/user" },
      headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
      oauth2: {
        tokenUrl: "https://github.com/login/oauth/access_token",
        authorizationUrl: "https://github.com/login/oauth/authorize",
        clientAuthentication: "client_secret_post",
      },
      rateLimit: { requests: 5_000, perSeconds: 3_600 },
      webhook: {
        scheme: specifiedWebhook.scheme,
        deliveryId: ["header:x-github-delivery"],
        eventName: ["header:x-github-event"],
        action: "body:/action",
        actionMark: { when: "body:/pull_request/merged", equals: "true", mark: "(merged)" },
        // The header X-GitHub-Hook-Installation-Target-ID has the App's id for webhooks that belong to an App.
        account: "body:/installation/id",
        formPayload: "payload",
        revokedEvents: ["github_app_authorization.revoked", "installation.deleted", "installation.suspend"],
      },
    },
  },
  {
    name: "gitlab",
    displayName: "GitLab",
    category: "SourceControl",
    authModel: "ApiKey",
    apiClient,
    capabilities: ["repositories.read", "repositories.write", "pull-requests.write", "webhooks.receive"],
    baseUrl: "https://gitlab.com/api/v4",
    driver: {
      probe: { method: "GET", path: "/user" },
      apiKey: { in: "header", name: "private-token", prefix: "" },
      oauth2: {
        tokenUrl: "https://gitlab.com/oauth/token",
        authorizationUrl: "https://gitlab.com/oauth/authorize",
        revocationUrl: "https://gitlab.com/oauth/revoke",
        clientAuthentication: "client_secret_post",
        scopes: ["api"],
      },
      webhook: {
        scheme: { kind: "token", header: "x-gitlab-token" },
        deliveryId: ["header:idempotency-key", "header:x-gitlab-event-uuid"],
        eventName: ["header:x-gitlab-event"],
        action: "body:/object_attributes/action",
        account: "body:/project/id",
      },
    },
  },
  ...communicationPresets,
  {
    name: "stripe",
    displayName: "Stripe",
    category: "Payment",
    authModel: "ApiKey",
    apiClient,
    capabilities: ["payments.charge", "payments.refund", "payments.checkout", "webhooks.receive"],
    baseUrl: "https://api.stripe.com",
    driver: {
      probe: { method: "GET", path: "/v1/account" },
      idempotencyHeader: "idempotency-key",
      commands: presetCommands.stripe,
      rateLimit: { requests: 25, perSeconds: 1 },
      oauth2: {
        tokenUrl: "https://connect.stripe.com/oauth/token",
        authorizationUrl: "https://connect.stripe.com/oauth/authorize",
        clientAuthentication: "client_secret_post",
        scopes: ["read_write"],
      },
      webhook: {
        scheme: {
          kind: "hmac",
          algorithm: "sha256",
          header: "stripe-signature",
          encoding: "hex",
          fields: { timestamp: "t", signature: "v1" },
          signedContent: "{timestamp}.{body}",
        },
        deliveryId: ["body:/id"],
        eventName: ["body:/type"],
        account: "body:/account",
        reports: presetReports.stripe,
        revokedEvents: ["account.application.deauthorized"],
      },
    },
  },
  ...businessPresets,
  ...webhookPresets,
  {
    name: "openai-compatible",
    displayName: "OpenAI-compatible models",
    category: "Model",
    authModel: "ApiKey",
    apiClient,
    capabilities: ["model.complete", "model.embed", "model.stream", "webhooks.receive"],
    baseUrl: "https://api.openai.com/v1",
    driver: {
      probe: { method: "GET", path: "/models" },
      webhook: {
        scheme: { kind: "standard-webhooks" },
        deliveryId: ["header:webhook-id"],
        eventName: ["body:/type"],
      },
    },
  },
  {
    name: "mail-server",
    displayName: "Mail server",
    category: "Other",
    authModel: "Basic",
    apiClient: "smtp",
    capabilities: ["email.send"],
    baseUrl: null,
    // The server belongs to the tenant, which gives it as the driver's smtp.
    driver: {},
  },
  {
    name: "oauth2",
    displayName: "OAuth 2",
    category: "Other",
    authModel: "OAuth2",
    apiClient,
    capabilities: [],
    baseUrl: null,
    // The endpoints belong to the vendor, so the tenant gives them as the driver's oauth2.
    driver: {},
  },
  {
    name: "api-key",
    displayName: "API key",
    category: "Other",
    authModel: "ApiKey",
    apiClient,
    capabilities: [],
    baseUrl: null,
    driver: { apiKey: { in: "header", name: "authorization", prefix: "Bearer " } },
  },
  {
    name: "webhook",
    displayName: "Webhook",
    category: "Other",
    authModel: "HmacSignature",
    apiClient,
    capabilities: ["webhooks.receive"],
    baseUrl: null,
    driver: { webhook: specifiedWebhook },
  },
];

const presetsByName = new Map(providerPresets.map((preset) => [preset.name, preset]));

/** The preset that a provider names, else the one with its key's name. */
export const presetOf = ({ preset, key }: { preset: string | null; key: string }): ProviderPreset | undefined =>
  presetsByName.get(preset ?? key);

/** A provider's driver: its own member replaces the whole member in the preset's driver. */
export function effectiveDriver(preset: ProviderPreset | undefined, ownDriver: ProviderDriver | null): ProviderDriver {
  return { ...preset?.driver, ...ownDriver };
}

/** The names for all presets. */
export const presetNames: readonly string[] = [...presetsByName.keys()];
