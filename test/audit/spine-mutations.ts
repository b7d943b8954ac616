import { aPendingApproval } from "../kit/agents.js";
import { anEntry } from "../kit/configuration.js";
import { anEdition } from "../kit/editions.js";
import { aFailedJob } from "../kit/failed-jobs.js";
import { aFlag } from "../kit/feature-flags.js";
import { aNotification, aNotificationTemplate, aTemplateInput } from "../kit/notifications.js";
import { resetToken, storeWrongCodes } from "../kit/own-security.js";
import { anOwnersToken, aSignedInPerson } from "../kit/own-sessions.js";
import { aPerson } from "../kit/people.js";
import { aPlanSubscriptionId, reportedOfPayment } from "../kit/plan-subscriptions.js";
import { aNewcomer, aSettingChange } from "../kit/protected-settings.js";
import { aQueuedReportRun, aReportDefinitionId, aReportRunId, lastYear } from "../kit/reports.js";
import { graphql, request } from "../kit/request.js";
import { aClientId, aRole } from "../kit/roles.js";
import { aTenant, moved } from "../kit/tenants.js";
import { anAddress, anInvitation, aUser, goodPassword, invitationToken } from "../kit/users.js";
import { type Prepare, unique, type World } from "./mutation-world.js";

async function anAssignment({ token }: World) {
  const roleId = await aRole(token);
  const body = { principalId: await aClientId(token) };
  const { assignmentId } = (await request(`POST /v1/roles/${roleId}/assignments`, { token, body })).body;
  return { roleId, assignmentId: String(assignmentId) };
}

async function aWaitingSetting({ tenant }: World) {
  const { approvalId } = await aSettingChange(tenant);
  return { tenantId: tenant.tenantId, approvalId };
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

/** Arguments for the spine's mutations. */
export const spineMutations: Readonly<Record<string, Prepare>> = {
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
  deleteConfigEntry: async ({ token }) => ({ key: await anEntry(token, unique()) }),
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
  redriveSpineJob: ({ tenant }) => aFailedJob("spine", "expire-invitation", tenant.tenantId),
  redriveJob: ({ tenant }) => aFailedJob("catalog", "import-package", tenant.tenantId),
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
  restoreConfigEntry: async ({ token }) => {
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
  setConfigEntry: ({ canary }) => ({ key: unique(), input: { value: `value-${canary}`, isSecret: true } }),
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
  updateRole: async ({ token }) => ({ roleId: await aRole(token), input: { name: "walked" } }),
};
