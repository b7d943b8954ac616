// biome-ignore-all format: one row per endpoint, aligned
import { eventReadScopes } from "@factory/schema/event-names";
import type { PlannedRoute, Route } from "./route.js";

/** Integration API. It has no path prefix; the Accept header carries the version. */
export const integrationRoutes = [
  { at: "POST /integrations/providers",   run: "registerProvider",          reply: 201, scopes: ["integration.providers.write"],   idempotent: true, version: "media-type", location: "/integrations/providers/{providerId}" },
  { at: "GET /integrations/providers/{providerId}", run: "provider",        reply: 200, scopes: ["integration.providers.read"],    version: "media-type" },
  { at: "GET /integrations/providers",    run: "providers",                 reply: 200, scopes: ["integration.providers.read"],    version: "media-type" },
  { at: "PATCH /integrations/providers/{providerId}", run: "updateProvider", reply: 200, scopes: ["integration.providers.write"],  idempotent: true, version: "media-type" },
  { at: "POST /webhooks/subscriptions",   run: "createWebhookSubscription", reply: 201, scopes: ["webhooks.subscriptions.write"],  idempotent: true, version: "media-type", location: "/webhooks/subscriptions/{subscriptionId}" },
  { at: "GET /webhooks/event-types",       run: "eventTypes",                reply: 200, scopes: eventReadScopes,                    version: "media-type" },
  { at: "GET /webhooks/subscriptions/{subscriptionId}", run: "webhookSubscription", reply: 200, scopes: ["webhooks.subscriptions.read"], version: "media-type", etag: "version" },
  { at: "GET /webhooks/subscriptions/{subscriptionId}/public-key", run: "webhookPublicKeys", reply: 200, scopes: ["webhooks.subscriptions.read"], version: "media-type" },
  { at: "GET /webhooks/subscriptions",    run: "webhookSubscriptions",      reply: 200, scopes: ["webhooks.subscriptions.read"],   version: "media-type" },
  { at: "PATCH /webhooks/subscriptions/{subscriptionId}", run: "updateWebhookSubscription", reply: 200, scopes: ["webhooks.subscriptions.write"], idempotent: true, version: "media-type", etag: "version" },
  { at: "DELETE /webhooks/subscriptions/{subscriptionId}", run: "deleteWebhookSubscription", reply: 204, scopes: ["webhooks.subscriptions.write"], idempotent: true, version: "media-type" },
  { at: "POST /webhooks/subscriptions/{subscriptionId}/pause", run: "pauseWebhookSubscription", reply: 200, scopes: ["webhooks.subscriptions.write"], idempotent: true, version: "media-type" },
  { at: "POST /webhooks/subscriptions/{subscriptionId}/resume", run: "resumeWebhookSubscription", reply: 200, scopes: ["webhooks.subscriptions.write"], idempotent: true, version: "media-type" },
  { at: "GET /webhooks/subscriptions/{subscriptionId}/messages", run: "webhookMessages", reply: 200, scopes: ["webhooks.subscriptions.read"], version: "media-type" },
  { at: "GET /webhooks/subscriptions/{subscriptionId}/attempts", run: "webhookAttempts", reply: 200, scopes: ["webhooks.subscriptions.read"], version: "media-type" },
  { at: "GET /webhooks/messages/{messageId}", run: "webhookMessage",        reply: 200, scopes: ["webhooks.subscriptions.read"],   version: "media-type" },
  { at: "GET /webhooks/messages/{messageId}/attempts", run: "webhookMessageAttempts", reply: 200, scopes: ["webhooks.subscriptions.read"], version: "media-type" },
  { at: "POST /webhooks/messages/{messageId}/resend", run: "resendWebhookMessage", reply: 202, scopes: ["webhooks.subscriptions.write"], idempotent: true, version: "media-type", location: "/webhooks/messages/{messageId}" },
  { at: "POST /webhooks/subscriptions/{subscriptionId}/examples", run: "sendWebhookExample", reply: 202, scopes: ["webhooks.subscriptions.write"], idempotent: true, version: "media-type", location: "/webhooks/messages/{messageId}" },
  { at: "GET /webhooks/subscriptions/{subscriptionId}/events", run: "webhookSubscriptionEvents", reply: 200, scopes: ["webhooks.subscriptions.read"], version: "media-type" },
  { at: "GET /webhooks/subscriptions/{subscriptionId}/statistics", run: "webhookStatistics", reply: 200, scopes: ["webhooks.subscriptions.read"], version: "media-type" },
  { at: "POST /webhooks/subscriptions/{subscriptionId}/rotate-secret", run: "rotateWebhookSubscriptionSecret", reply: 202, scopes: ["integration.credentials.rotate"], idempotent: true, version: "media-type", location: "/integrations/runs/{verificationRunId}" },
  { at: "POST /integrations/credentials", run: "createCredential",          reply: 201, scopes: ["integration.credentials.write"], idempotent: true, version: "media-type" },
  { at: "POST /integrations/deliveries/{deliveryId}/replay", run: "replayWebhookDelivery", reply: 202, scopes: ["webhooks.subscriptions.write"], idempotent: true, version: "media-type", location: "/integrations/runs/{runId}" },
  { at: "GET /integrations/runs", run: "runs",                              reply: 200, scopes: ["integration.runs.read"],         version: "media-type" },
  { at: "GET /integrations/runs/{runId}", run: "run",                      reply: 200, scopes: ["integration.runs.read"],         version: "media-type", retryWhile: ["Queued", "Running", "RetryScheduled"] },
  { at: "POST /integrations/runs/{runId}/cancel", run: "cancelRun",        reply: 200, scopes: ["integration.connections.write"], idempotent: true, version: "media-type" },
  { at: "POST /integrations/connections", run: "createConnection",          reply: 201, scopes: ["integration.connections.write"], idempotent: true, version: "media-type", location: "/integrations/connections/{connectionId}" },
  { at: "GET /integrations/connections/{connectionId}", run: "connection",  reply: 200, scopes: ["integration.connections.read"],  version: "media-type", etag: "version" },
  { at: "GET /integrations/connections",  run: "connections",               reply: 200, scopes: ["integration.connections.read"],  version: "media-type" },
  { at: "PATCH /integrations/connections/{connectionId}", run: "updateConnection", reply: 200, scopes: ["integration.connections.write"], idempotent: true, version: "media-type", etag: "version" },
  { at: "DELETE /integrations/connections/{connectionId}", run: "deleteConnection", reply: 204, scopes: ["integration.connections.write"], idempotent: true, version: "media-type" },
  { at: "POST /integrations/connections/{connectionId}/suspend", run: "suspendConnection", reply: 200, scopes: ["integration.connections.write"], idempotent: true, version: "media-type" },
  { at: "POST /integrations/connections/{connectionId}/reauthorize", run: "reauthorizeConnection", reply: 200, scopes: ["integration.connections.write"], idempotent: true, version: "media-type" },
  { at: "POST /integrations/connections/{connectionId}/resume", run: "resumeConnection", reply: 200, scopes: ["integration.connections.write"], idempotent: true, version: "media-type" },
  { at: "POST /integrations/connections/{connectionId}/check", run: "checkConnectionHealth", reply: 202, scopes: ["integration.connections.write"], idempotent: true, version: "media-type", location: "/integrations/runs/{runId}", retryWhile: ["Queued", "Running", "RetryScheduled"] },
  { at: "POST /integrations/credentials/rotate", run: "rotateCredential",   reply: 202, scopes: ["integration.credentials.rotate"], idempotent: true, version: "media-type", location: "/integrations/runs/{verificationRunId}" },
  { at: "GET /integrations/deliveries",   run: "webhookDeliveries",         reply: 200, scopes: ["webhooks.subscriptions.read"],   version: "media-type" },
  { at: "GET /integrations/deliveries/{deliveryId}", run: "webhookDelivery", reply: 200, scopes: ["webhooks.subscriptions.read"],  version: "media-type" },
] as const satisfies readonly Route[];

export const integrationPlanned = [] as const satisfies readonly PlannedRoute[];
