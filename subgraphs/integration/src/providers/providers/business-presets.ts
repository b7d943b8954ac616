import { signedWebhooks } from "../vendor-webhooks/signed-webhooks.js";
import { presetCommands } from "./preset-commands.js";

const apiClient = "http-json";

/** The presets for vendors in customer relationship and support. */
export const businessPresets = [
  {
    name: "hubspot",
    displayName: "HubSpot",
    category: "CustomerRelationship",
    authModel: "BearerToken",
    apiClient,
    capabilities: ["contacts.write"],
    baseUrl: "https://api.hubapi.com",
    driver: {
      probe: { method: "GET", path: "/crm/v3/objects/contacts?limit=1" },
      commands: presetCommands.hubspot,
      oauth2: {
        tokenUrl: "https://api.hubapi.com/oauth/v1/token",
        authorizationUrl: "https://app.hubspot.com/oauth/authorize",
        clientAuthentication: "client_secret_post",
        scopes: ["oauth", "crm.objects.contacts.read", "crm.objects.contacts.write"],
      },
      rateLimit: { requests: 100, perSeconds: 10 },
    },
  },
  {
    name: "zendesk",
    displayName: "Zendesk",
    category: "Support",
    authModel: "Basic",
    apiClient,
    capabilities: ["tickets.write", "webhooks.receive"],
    // Each account has its own host.
    baseUrl: null,
    driver: {
      probe: { method: "GET", path: "/api/v2/tickets.json?per_page=1" },
      idempotencyHeader: "idempotency-key",
      commands: presetCommands.zendesk,
      webhook: signedWebhooks.zendesk,
    },
  },
] as const;
