import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aConnection } from "../kit/connections.js";
import { aCredential, aFailedRotation, anUnseenSecret, rotatedCredential } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { aProvider, movedProvider } from "../kit/providers.js";
import { request } from "../kit/request.js";
import { aDelivery } from "../kit/runs.js";
import { anHourAgo } from "../kit/times.js";
import { aUsedToolServer } from "../kit/tool-server.js";
import { type Prepare, unique, type World } from "./mutation-world.js";

async function aMovedProvider({ token }: World, ...moves: string[]) {
  const providerId = await aProvider(token, { key: unique() });
  for (const move of moves) await movedProvider(token, move, providerId);
  return { providerId };
}

const tokenUrl = "http://127.0.0.1:9/oauth";

async function aWalkedConnection({ token }: World) {
  return { connectionId: await aConnection(token, await aProvider(token, { key: unique() })) };
}

/** A webhook subscription, Paused unless it is `active`. */
async function aSubscription({ token }: World, active = false) {
  const endpointUrl = "http://127.0.0.1:9/hooks";
  const body = { eventType: "TemplateRegistered", endpointUrl, signingSecretRef: unique(), active };
  const answer = await request<{ subscriptionId: string }>("POST /webhooks/subscriptions", { token, body });
  return { subscriptionId: answer.body.subscriptionId };
}

const idOf = ({ credentialId }: { credentialId: string }) => ({ credentialId });

/** Arguments for integration's mutations. */
export const integrationMutations: Readonly<Record<string, Prepare>> = {
  createCredential: ({ canary }) => ({ input: { name: unique(), secret: { token: `token-${canary}` } } }),
  cancelRun: async ({ token }) => {
    const { credentialId } = await rotatedCredential(token);
    const path = `GET /integrations/runs?operation=RetireCredentialVersion&credentialId=${credentialId}`;
    const { body } = await request<{ items: { runId: string }[] }>(path, { token });
    return { runId: body.items[0]?.runId };
  },
  replayWebhookDelivery: async ({ tenant, token }) => {
    const providerId = await aProvider(token, { key: unique() });
    const { deliveryId } = await aDelivery(tenant.tenantId, { providerId, status: "Processed", unreadable: true });
    return { deliveryId };
  },
  updateConnection: async (world) => ({ ...(await aWalkedConnection(world)), input: { displayName: unique() } }),
  reauthorizeConnection: async ({ token }) => {
    const driver = { oauth2: { tokenUrl, authorizationUrl: tokenUrl, clientAuthentication: "none" } };
    const providerId = await aProvider(token, { key: unique(), authModel: "OAuth2", driver });
    return { connectionId: await aConnection(token, providerId, { authMode: "OAuth2AuthorizationCode" }) };
  },
  suspendConnection: (world) => aWalkedConnection(world),
  resumeConnection: async (world) => {
    const connection = await aWalkedConnection(world);
    await request(`POST /integrations/connections/${connection.connectionId}/suspend`, {
      token: world.token,
      body: {},
    });
    return connection;
  },
  deleteConnection: (world) => aWalkedConnection(world),
  acceptToolDefinition: async ({ token }) => {
    const { connectionId, definitionHash } = await aUsedToolServer(token, unique());
    return { connectionId, input: { toolName: "works", definitionHash } };
  },
  createConnection: async ({ token }) => ({
    input: { providerId: await aProvider(token, { key: unique() }), displayName: "Walk", authMode: "ApiKey" },
  }),
  checkConnectionHealth: async ({ token }) => ({
    connectionId: await aConnection(token, await aProvider(token, { key: unique() })),
  }),
  createWebhookSubscription: () => ({
    input: {
      eventType: "TemplateRegistered",
      endpointUrl: "http://127.0.0.1:9/hooks",
      signingSecretRef: unique(),
      active: false,
    },
  }),
  updateWebhookSubscription: async (world) => ({ ...(await aSubscription(world)), input: { projectId: unique() } }),
  pauseWebhookSubscription: (world) => aSubscription(world, true),
  resumeWebhookSubscription: (world) => aSubscription(world),
  deleteWebhookSubscription: (world) => aSubscription(world),
  resendWebhookMessage: async (world) => {
    const messageId = newId("msg");
    const { subscriptionId } = await aSubscription(world, true);
    await rows(
      `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         status, attempts, finished_at, envelope)
       select tenant_id, $1, subscription_id, gen_random_uuid(), event_type, 1, 'Exhausted', 10, now(), $3
       from integration.webhook_subscriptions where subscription_id = $2`,
      [decodeId("msg", messageId), decodeId("whs", subscriptionId), { id: newId("evt"), schemaversion: "1.0" }],
    );
    return { messageId };
  },
  sendWebhookExample: (world) => aSubscription(world, true),
  replayWebhookMessages: async (world) => ({ ...(await aSubscription(world, true)), input: { since: anHourAgo() } }),
  rotateWebhookSubscriptionSecret: (world) => aSubscription(world),
  acknowledgeCredentialRotation: async ({ token }) => idOf(await aFailedRotation(token)),
  revealSigningSecret: async ({ token }) => idOf(await anUnseenSecret(token)),
  revokeCredential: async ({ token }) => idOf(await aCredential(token)),
  rollbackCredential: async ({ token }) => idOf(await rotatedCredential(token)),
  rotateCredential: async ({ token, canary }) => {
    const { credentialId } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: `key-${canary}` } });
    return { input: { credentialId, secret: { apiKey: `new-${canary}` } } };
  },
  updateCredential: async ({ token }) => ({ ...idOf(await aCredential(token)), input: { graceSeconds: 60 } }),
  deprecateProvider: (world) => aMovedProvider(world),
  disableProvider: (world) => aMovedProvider(world),
  enableProvider: (world) => aMovedProvider(world, "disableProvider"),
  registerProvider: () => ({
    input: { key: unique(), displayName: "Walk", category: "Payment", authModel: "ApiKey" },
  }),
  retireProvider: (world) => aMovedProvider(world, "deprecateProvider"),
  updateProvider: async (world) => ({ ...(await aMovedProvider(world)), input: { displayName: "Walked" } }),
};
