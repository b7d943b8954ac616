import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aPendingApproval } from "../kit/agents.js";
import { anEntry } from "../kit/configuration.js";
import { aConnection } from "../kit/connections.js";
import { aCredential, aFailedRotation, anUnseenSecret, rotatedCredential } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { anEdition } from "../kit/editions.js";
import { executed } from "../kit/executions.js";
import { aFlag } from "../kit/feature-flags.js";
import { aLibrary, aPackageName, versionMutation } from "../kit/libraries.js";
import { aNotification, aNotificationTemplate, aTemplateInput } from "../kit/notifications.js";
import { aPackage } from "../kit/nuget-packages.js";
import { resetToken, storeWrongCodes } from "../kit/own-security.js";
import { anOwnersToken, aSignedInPerson } from "../kit/own-sessions.js";
import { aPerson } from "../kit/people.js";
import { aPlanSubscriptionId, reportedOfPayment } from "../kit/plan-subscriptions.js";
import { aNewcomer, aSettingChange } from "../kit/protected-settings.js";
import { aProvider, movedProvider } from "../kit/providers.js";
import { aQueuedReportRun, aReportDefinitionId, aReportRunId, lastYear } from "../kit/reports.js";
import { graphql, request } from "../kit/request.js";
import { aClientId, aRole } from "../kit/roles.js";
import { aDelivery } from "../kit/runs.js";
import { aSilentHost } from "../kit/silent-host.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant, moved, type TestTenant } from "../kit/tenants.js";
import { anHourAgo } from "../kit/times.js";
import { aUsedToolServer } from "../kit/tool-server.js";
import { anAddress, anInvitation, aUser, goodPassword, invitationToken } from "../kit/users.js";

/** The mutations' callers, and what they may use. */
export interface World {
  readonly tenant: TestTenant;
  readonly token: string;
  readonly adminToken: string;
  /** Every secret that a mutation takes contains it. */
  readonly canary: string;
  /** Ends what a mutation needed. */
  readonly onEnd: (end: () => unknown) => void;
}

/** The member `ownToken` is not an argument: it is the token with which the mutation is called. */
type Arguments = Record<string, unknown>;
type Prepare = (world: World) => Promise<Arguments> | Arguments;

const unique = () => `w${randomBytes(6).toString("hex")}`;

async function aVersion({ token }: World, source?: string) {
  return aTemplateVersion(token, source ?? (await aTemplateSource()));
}

async function aCheckedVersion(world: World) {
  const version = await aVersion(world);
  const body = { templateVersionId: version.templateVersionId };
  await request(`POST /v1/templates/${version.templateId}/validate`, { token: world.token, body });
  return body;
}

async function aLibraryVersion({ token }: World, ...moves: string[]) {
  const libraryId = await aLibrary(token);
  const input = `{ semanticVersion: "1.0.0", publish: false }`;
  const registration = await versionMutation(
    token,
    `registerLibraryVersion(libraryId: "${libraryId}", input: ${input})`,
  );
  const libraryVersionId = String(registration["libraryVersionId"]);
  for (const move of moves)
    await versionMutation(token, `${move}(libraryVersionId: "${libraryVersionId}"${inputs[move] ?? ""})`);
  return { libraryVersionId };
}
const inputs: Record<string, string> = { deprecateLibraryVersion: `, input: { reason: "Legacy" }` };

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

async function anAssignment({ token }: World) {
  const roleId = await aRole(token);
  const body = { principalId: await aClientId(token) };
  const { assignmentId } = (await request(`POST /v1/roles/${roleId}/assignments`, { token, body })).body;
  return { roleId, assignmentId: String(assignmentId) };
}

/** An execution that fetches its source without end. */
async function aRunningExecution(world: World) {
  const host = await aSilentHost();
  world.onEnd(() => host.close());
  const { templateId, templateVersionId } = await aVersion(world, `git+${host.url}/acme/never.git#main`);
  const body = { templateVersionId, target: { repository: `acme/${unique()}` } };
  const { executionId } = (await request(`POST /v1/templates/${templateId}/execute`, { token: world.token, body }))
    .body;
  return { executionId: String(executionId) };
}

async function aFailedExecution(world: World) {
  const version = await aVersion(world, "stored://nowhere");
  const { executionId } = await executed(world.token, version, { target: { repository: `acme/${unique()}` } });
  return { executionId };
}

/** An advisory in OSV format. */
const anAdvisory = () => ({
  id: unique(),
  modified: "2026-01-31T12:00:00Z",
  affected: [{ package: { ecosystem: "NuGet", name: aPackageName() }, versions: ["1.0.0"] }],
});

/** Serves a package, and returns its source. */
async function aPackageSource({ onEnd }: World): Promise<string> {
  const id = aPackageName();
  const server = createServer((_, response) => void response.end(aPackage({ id, version: "1.0.0" })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(() => server.close());
  return `nupkg+http://127.0.0.1:${(server.address() as AddressInfo).port}/${id}.1.0.0.nupkg`;
}

async function aWaitingSetting({ tenant }: World) {
  const { approvalId } = await aSettingChange(tenant);
  return { tenantId: tenant.tenantId, approvalId };
}

/** A failed job whose queue has no rows of its own. */
async function aFailedJob(schema: "catalog" | "spine", queue: string, { tenant: { tenantId } }: World) {
  const data = {
    tenantId,
    invitationId: newId("inv"),
    command: { id: newId("cmd"), tenantid: tenantId, actorid: newId("cli"), type: "ImportLibraryPackage" },
    input: { sourceRef: "nuget:none" },
  };
  const [job] = await rows<{ id: string }>(
    `insert into ${schema}_jobs.job (name, data, state, group_id, singleton_key, retry_limit, output, completed_on, dead_letter)
     values ($1, $2, 'failed', $3, $4, 1, '{"message": "refused"}', now(), $5) returning id`,
    [queue, data, tenantId, unique(), `${queue}.dead`],
  );
  return { jobId: job?.id };
}

const aRegisteredTenant = async ({ adminToken: token }: World) => {
  const input = { name: "Walk", slug: unique(), editionCode: "Free", ownerEmail: anAddress() };
  const { body } = await graphql<{ registerTenant: { tenantId: string } }>(
    "mutation ($input: RegisterTenantInput!) { registerTenant(input: $input) { tenantId } }",
    { token, variables: { input } },
  );
  return { tenantId: body.data.registerTenant.tenantId };
};

const aSuspendedTenant = async () => {
  const other = await aTenant();
  await moved(other, "suspendTenant");
  return { tenantId: other.tenantId };
};

const idOf = ({ credentialId }: { credentialId: string }) => ({ credentialId });
const anApproval = async ({ tenant }: World) => ({ approvalId: await aPendingApproval(tenant.tenantId) });
const aClient = async ({ token }: World) => ({ clientId: await aClientId(token) });
const anEditionWith =
  (isRetired: boolean) =>
  async ({ adminToken: token }: World) => {
    const { code } = await anEdition(token);
    if (isRetired) return { code };
    const editionUpdate = await graphql(
      'mutation ($code: String!) { updateEdition(code: $code, input: { name: "More" }) { code } }',
      {
        token,
        variables: { code },
      },
    );
    if (editionUpdate.body.errors) throw new Error(editionUpdate.text);
    return { code, version: 1 };
  };
const withInvitation = async ({ token }: World) => ({ invitationId: (await anInvitation(token)).invitationId });
const person = async ({ token }: World) => ({ userId: (await aUser(token)).userId });
const disabledPerson = async (world: World) => {
  const { userId } = await person(world);
  await request(`POST /v1/users/${userId}/disable`, { token: world.token });
  return { userId };
};

/** Activates the tenant's plan subscription, which works from any state. */
async function anActivePlan({ token }: World) {
  const planSubscriptionId = await aPlanSubscriptionId(token);
  const answer = await request(`POST /v1/subscriptions/${planSubscriptionId}/activate`, { token, body: {} });
  if (answer.status >= 300) throw new Error(answer.text);
  return { planSubscriptionId };
}

const aTenantsActivePlan = async (world: World) => ({
  tenantId: world.tenant.tenantId,
  ...(await anActivePlan(world)),
});

/** Arguments with which each mutation succeeds. A new mutation needs a line here. */
export const mutationArguments: Readonly<Record<string, Prepare>> = {
  archiveTemplate: async (world) => ({ templateId: (await aVersion(world)).templateId }),
  cancelExecution: aRunningExecution,
  changeLibraryCapabilities: async ({ token }) => ({
    libraryId: await aLibrary(token),
    input: { set: [{ name: "orders.publish" }] },
  }),
  createTemplateVersion: async (world) => ({
    templateId: (await aVersion(world)).templateId,
    input: {
      semanticVersion: "2.0.0",
      sourceRef: "stored://walked",
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
    },
  }),
  deprecateLibraryVersion: async (world) => ({
    ...(await aLibraryVersion(world, "publishLibraryVersion")),
    input: { reason: "Legacy" },
  }),
  deleteTemplateVersion: async (world) => ({ templateVersionId: (await aVersion(world)).templateVersionId }),
  deprecateTemplateVersion: async (world) => {
    const version = await aCheckedVersion(world);
    await graphql("mutation ($id: ID!) { publishTemplateVersion(templateVersionId: $id) { status } }", {
      token: world.token,
      variables: { id: version.templateVersionId },
    });
    return { ...version, input: { reason: "Other" } };
  },
  evaluateLibraryCompatibility: () => ({ input: { runtime: "net8.0", libraries: [] } }),
  evaluateTemplateCompatibility: async (world) => {
    const { templateId, templateVersionId } = await aVersion(world);
    return { templateId, input: { templateVersionId, runtime: "net8.0", libraries: [] } };
  },
  deleteAdvisories: () => ({ input: { advisoryIds: [unique()] } }),
  importAdvisories: () => ({ input: { documents: [anAdvisory()] } }),
  importLibraryPackage: async (world) => ({ input: { sourceRef: await aPackageSource(world) } }),
  publishLibraryVersion: (world) => aLibraryVersion(world),
  publishTemplateVersion: aCheckedVersion,
  redriveCatalogJob: (world) => aFailedJob("catalog", "import-package", world),
  registerLibrary: () => ({ input: { packageName: aPackageName() } }),
  registerLibraryVersion: async ({ token }) => ({
    libraryId: await aLibrary(token),
    input: { semanticVersion: "2.0.0" },
  }),
  registerTemplate: () => ({ input: { name: unique(), category: "Service" } }),
  replaceTemplateVersion: async (world) => ({
    templateVersionId: (await aVersion(world)).templateVersionId,
    input: {
      semanticVersion: "1.0.1",
      sourceRef: "stored://nowhere",
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
    },
  }),
  requestExecution: async (world) => {
    const { templateId, templateVersionId } = await aVersion(world);
    return { templateId, input: { templateVersionId, target: { repository: `acme/${unique()}` } } };
  },
  restoreTemplate: async (world) => {
    const { templateId } = await aVersion(world);
    await graphql("mutation ($id: ID!) { archiveTemplate(templateId: $id) { status } }", {
      token: world.token,
      variables: { id: templateId },
    });
    return { templateId };
  },
  retireLibraryVersion: async (world) => ({
    ...(await aLibraryVersion(world, "publishLibraryVersion", "deprecateLibraryVersion")),
    input: { reason: "It leaks." },
  }),
  retryExecution: aFailedExecution,
  scanDependencies: () => ({
    input: { runtime: "net8.0", libraries: [{ packageName: aPackageName(), version: "1.0.0" }] },
  }),
  updateTemplate: async (world) => ({
    templateId: (await aVersion(world)).templateId,
    input: { description: "walked" },
  }),
  validateTemplateVersion: async (world) => {
    const { templateId, templateVersionId } = await aVersion(world);
    return { templateId, input: { templateVersionId } };
  },
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
  acceptInvitation: async ({ token, canary }) => {
    const { email } = await anInvitation(token);
    return { input: { token: await invitationToken(email), password: `${goodPassword} ${canary}` } };
  },
  activateTenantPlanSubscription: aTenantsActivePlan,
  activatePlanSubscription: anActivePlan,
  approveScopes: anApproval,
  approveTenantSetting: aWaitingSetting,
  archiveTenant: aSuspendedTenant,
  assignRole: async ({ token }) => ({
    roleId: await aRole(token),
    input: { principalId: await aClientId(token) },
  }),
  broadcastNotification: () => ({ input: { body: unique() } }),
  cancelPlanSubscription: anActivePlan,
  changeOwnPassword: async ({ tenant, canary }) => {
    const { person, token: ownToken } = await aSignedInPerson(tenant);
    const input = { currentPassword: person.password, newPassword: `${goodPassword} ${canary}` };
    return { ownToken, input };
  },
  withdrawSettingChange: async ({ tenant }) => {
    const { approvalId, token: ownToken } = await aSettingChange(tenant);
    return { ownToken, approvalId };
  },
  endOtherOwnSessions: async ({ tenant }) => ({ ownToken: (await aSignedInPerson(tenant)).token }),
  endOwnSession: async ({ tenant }) => {
    const { token: ownToken, sessionId } = await aSignedInPerson(tenant);
    return { ownToken, sessionId };
  },
  removeUserSecondFactors: async (world) => ({
    ...(await person(world)),
    ownToken: await anOwnersToken(world.tenant),
  }),
  disableUserApiClients: person,
  unlockUserSecondFactors: async (world) => {
    const { userId } = await person(world);
    await storeWrongCodes(userId, 20);
    return { userId, ownToken: await anOwnersToken(world.tenant) };
  },
  requestPasswordReset: async ({ tenant }) => ({ input: { email: (await aPerson(tenant)).email } }),
  resetPassword: async ({ tenant, canary }) => ({
    input: { token: await resetToken(await aPerson(tenant)), password: `${goodPassword} ${canary}` },
  }),
  confirmTenantUser: async ({ tenant }) => ({ tenantId: tenant.tenantId, userId: (await aPerson(tenant)).userId }),
  confirmUser: async ({ tenant }) => {
    const { userId, token: ownToken } = await aNewcomer(tenant);
    return { ownToken, userId };
  },
  createApiClient: () => ({ input: { name: unique(), scopes: ["user.read"] } }),
  createEdition: () => {
    const code = `E${unique()}`;
    return { input: { code, name: code, features: {} } };
  },
  createRole: () => ({ input: { code: unique(), name: "Walk", scopes: ["user.read"] } }),
  createTenantApiClient: ({ tenant: { tenantId } }) => ({
    tenantId,
    input: { name: unique(), scopes: ["user.read"] },
  }),
  deleteConfiguration: async ({ token }) => ({ key: await anEntry(token, unique()) }),
  deleteFeatureFlag: async ({ token }) => ({ key: await aFlag(token, unique()) }),
  deleteNotificationTemplate: async ({ token }) => ({ key: await aNotificationTemplate(token, unique()) }),
  deleteRole: async ({ token }) => ({ roleId: await aRole(token) }),
  deleteUser: person,
  disableApiClient: aClient,
  disableUser: person,
  enableApiClient: async (world) => {
    const client = await aClient(world);
    await graphql("mutation ($id: ID!) { disableApiClient(clientId: $id) { clientId } }", {
      token: world.token,
      variables: { id: client.clientId },
    });
    // the world's client belongs to the platform, which enables none that it has made
    return { ...client, ownToken: await anOwnersToken(world.tenant) };
  },
  enableUser: disabledPerson,
  inviteUser: () => ({ input: { email: anAddress(), roleCodes: ["Viewer"] } }),
  markNotificationRead: async ({ token }) => ({ notificationId: await aNotification(token) }),
  markNotificationsRead: async ({ token }) => {
    const { userId: recipientUserId } = await aUser(token);
    await aNotification(token, recipientUserId);
    return { input: { recipientUserId } };
  },
  provisionTenant: aRegisteredTenant,
  redriveSpineJob: (world) => aFailedJob("spine", "expire-invitation", world),
  registerTenant: () => ({
    input: { name: "Walk", slug: unique(), editionCode: "Free", ownerEmail: anAddress() },
  }),
  generateReport: async ({ token }) => ({
    reportDefinitionId: await aReportDefinitionId(token),
    input: { format: "csv", parameters: lastYear },
  }),
  cancelReportRun: async ({ tenant }) => ({ reportRunId: await aQueuedReportRun(tenant.tenantId) }),
  expireReportRun: async ({ token }) => ({ reportRunId: await aReportRunId(token) }),
  rejectScopes: anApproval,
  rejectTenantSetting: aWaitingSetting,
  reportPayment: async (world) => {
    const plan = await aTenantsActivePlan(world);
    await reportedOfPayment("reportPaymentFailure", plan);
    return plan;
  },
  reportPaymentFailure: aTenantsActivePlan,
  resendInvitation: withInvitation,
  restoreConfiguration: async ({ token }) => {
    const key = await anEntry(token, unique());
    return { key: await anEntry(token, key, false), version: 1 };
  },
  restoreFeatureFlag: async ({ token }) => {
    const key = await aFlag(token, unique());
    return { key: await aFlag(token, key, { enabled: false }), version: 1 };
  },
  resumeTenant: aSuspendedTenant,
  retireEdition: anEditionWith(true),
  revertEdition: anEditionWith(false),
  revokeInvitation: withInvitation,
  rotateApiClientSecret: aClient,
  rotateSigningKeys: () => ({}),
  sendNotification: async ({ token }) => ({
    input: { channel: "InApp", recipient: { userId: (await aUser(token)).userId }, body: unique() },
  }),
  setConfiguration: ({ canary }) => ({ key: unique(), input: { value: `value-${canary}`, isSecret: true } }),
  setFeatureFlag: () => ({ key: unique(), input: { enabled: true } }),
  setNotificationPreferences: async ({ token }) => ({
    input: { recipientUserId: (await aUser(token)).userId, preferences: [] },
  }),
  setNotificationTemplate: () => ({ key: unique(), input: aTemplateInput }),
  setTenantLimits: ({ tenant: { tenantId } }) => ({ tenantId, input: { rateLimitFactor: 2 } }),
  suspendTenant: async () => ({ tenantId: (await aTenant()).tenantId }),
  unassignRole: anAssignment,
  updateApiClient: async (world) => ({ ...(await aClient(world)), input: { name: "walked" } }),
  updateEdition: async ({ adminToken }) => ({
    code: (await anEdition(adminToken)).code,
    input: { name: "Walked" },
  }),
  updateProvider: async (world) => ({ ...(await aMovedProvider(world)), input: { displayName: "Walked" } }),
  updateRole: async ({ token }) => ({ roleId: await aRole(token), input: { name: "walked" } }),
};
